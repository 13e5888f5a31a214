#include "kml/base/terminal_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "base/child_end.h"
#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

Fd new_terminal() {
  Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal || ::grantpt(terminal.get()) != 0 || ::unlockpt(terminal.get()) != 0 ||
      ::fcntl(terminal.get(), F_SETFL, O_NONBLOCK) != 0)
    throw system_error("cannot create a terminal", errno);
  return terminal;
}

}  // namespace

/// The child leads a new session, so the first terminal that it opens becomes its own.
TerminalProcess::TerminalProcess(const std::vector<std::string>& argv, TerminalSize size)
    : terminal_(new_terminal()) {
  resize(size);
  const char* const name = ::ptsname(terminal_.get());
  if (!name) throw system_error("cannot create a terminal", errno);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  const int failed =
      ::posix_spawnp(&child_, arguments[0], &actions, &attributes, arguments.data(), own_environment());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) return;
  child_ = 0;
  terminal_ = Fd();
}

TerminalProcess::~TerminalProcess() {
  kill_and_wait(child_);
}

/// Once the child has closed its side, Linux reports EIO, and macOS the end of the file.
bool TerminalProcess::read(std::string& out, size_t most) {
  char buffer[1 << 14];
  for (size_t read = 0; terminal_ && read < most;) {
    const ssize_t got = ::read(terminal_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      terminal_ = Fd();
      return false;
    }
    out.append(buffer, static_cast<size_t>(got));
    read += static_cast<size_t>(got);
  }
  return static_cast<bool>(terminal_);
}

void TerminalProcess::resize(TerminalSize size) const {
  winsize shape{};
  shape.ws_row = static_cast<unsigned short>(size.rows);
  shape.ws_col = static_cast<unsigned short>(size.columns);
  if (terminal_) ::ioctl(terminal_.get(), TIOCSWINSZ, &shape);
}

bool TerminalProcess::look_for_end() {
  return has_ended(child_, exit_code_);
}

}  // namespace kml
