#include "local/shim/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/core/files.h"

namespace kml::local {

namespace {

/// The parent, from the fourth field of /proc/PID/stat; the second may hold blanks and parentheses.
pid_t parent_of(const std::string& pid) {
  Fd fd(::open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char text[512] = {};
  if (!fd || ::read(fd.get(), text, sizeof text - 1) <= 0) return 0;
  const std::string line = text;
  const size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 4 > line.size()
             ? 0
             : static_cast<pid_t>(std::atoi(line.c_str() + name_end + 4));
}

std::vector<pid_t> children() {
  std::vector<pid_t> list;
  const pid_t self = ::getpid();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) && parent_of(name) == self)
      list.push_back(std::atoi(name.c_str()));
  }
  return list;
}

}  // namespace

void kill_all_descendants() {
  // A killed child's own children become ours, so the walk ends when none comes any more.
  for (;;) {
    if (::getpid() == 1)
      ::kill(-1, SIGKILL);
    else
      for (pid_t child : children()) ::kill(child, SIGKILL);
    const pid_t ended = ::waitpid(-1, nullptr, 0);
    if (ended < 0 && errno == ECHILD) return;
  }
}

}  // namespace kml::local
