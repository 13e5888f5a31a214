#include "base/child_end.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "kml/base/process.h"

namespace kml {

bool has_ended(pid_t& child, int& exit_code) {
  if (child == 0) return true;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) < 0 && errno == EINTR) {
  }
  if (ended == 0) return false;
  child = 0;
  if (ended > 0) exit_code = exit_code_of_status(status);
  return true;
}

void kill_and_wait(pid_t child) {
  if (child == 0) return;
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace kml
