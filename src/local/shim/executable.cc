#include "local/shim/executable.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kml/core/text.h"

namespace kml::local {

namespace {

/// 0, or the errno value of why the file cannot be executed.
int problem_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

Executable refused(const std::string& name, std::string_view why) {
  constexpr size_t kLongestName = 256;  // a status holds the message, and that of a container is small
  return {"", fmt::format("exec: \"{}\": {}", name.substr(0, kLongestName), why)};
}

}  // namespace

Executable find_executable(const std::string& name, std::string_view search_path) {
  if (name.find('/') != std::string::npos) {
    const int problem = problem_of(name);
    return problem == 0 ? Executable{name, ""} : refused(name, std::strerror(problem));
  }
  bool denied = false;
  for (const std::string& folder : split(search_path, ':')) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    const int problem = problem_of(path);
    if (problem == 0) return {path, ""};
    denied = denied || problem == EACCES;
  }
  return refused(name, denied ? "permission denied" : "executable file not found in $PATH");
}

}  // namespace kml::local
