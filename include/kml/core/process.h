#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kml {

/// What a finished child process left.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal where a signal ended it; 127 where it could not be started
  std::string out;
};

/// Runs a program to its end without a shell and captures its standard output (at most `limit` bytes; the
/// rest is discarded); standard error goes to /dev/null, standard input is empty.
ProcessResult run_process(const std::vector<std::string>& argv, const std::filesystem::path& folder = {},
                          size_t limit = size_t{16} << 20);

/// Path of the running kml binary.
std::filesystem::path own_executable();

}  // namespace kml
