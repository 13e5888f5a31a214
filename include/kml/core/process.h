#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kml {

/// What a finished child process left.
struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal where a signal ended it; 127 where it could not be started
  std::string out;
  int start_errno = 0;  ///< why it could not be started
  bool timed_out = false;
};

struct ProcessOptions {
  std::filesystem::path folder = {};
  size_t limit = size_t{16} << 20;            ///< bytes of output kept; the rest is discarded
  std::vector<std::string> environment = {};  ///< "NAME=value", beside and over this process's own
  bool inherit_input = false;                 ///< else it is empty
  bool inherit_errors = false;                ///< else they go to /dev/null
  std::chrono::milliseconds time_limit{0};    ///< it is killed then; 0 waits without limit
};

/// Runs a program to its end without a shell and captures its standard output.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

/// Path of the running kml binary.
std::filesystem::path own_executable();

}  // namespace kml
