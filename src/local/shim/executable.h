#pragma once

#include <string>
#include <string_view>

namespace kml::local {

/// Where a program lies, or why it cannot be run, in the words of container runtimes.
struct Executable {
  std::string path;
  std::string problem;  ///< `exec: "foo": executable file not found in $PATH`; empty where all is well
};

/// As execvp(3) would find it: a name with a slash is a path from the current folder, any other is looked up
/// in `search_path`.
Executable find_executable(const std::string& name, std::string_view search_path);

}  // namespace kml::local
