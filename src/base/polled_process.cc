#include "kml/base/polled_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/child_end.h"
#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

/// Reads the available output, but not much more than `most` bytes. Closes the descriptor at the end of the
/// output.
void read_available(Fd& fd, std::string& text, size_t limit, size_t most = SIZE_MAX) {
  char buffer[1 << 16];
  for (size_t read = 0; fd && read < most;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      fd = Fd();
      return;
    }
    read += static_cast<size_t>(got);
    const size_t room = limit - std::min(limit, text.size());
    text.append(buffer, std::min(static_cast<size_t>(got), room));
  }
}

Pipe output_pipe() {
  Pipe pipe = make_pipe();
  if (!pipe.reader || ::fcntl(pipe.reader.get(), F_SETFL, O_NONBLOCK) != 0)
    throw system_error("cannot create a pipe", errno);
  return pipe;
}

}  // namespace

PolledProcess::PolledProcess(const std::vector<std::string>& argv) {
  Pipe out = output_pipe(), errors = output_pipe();
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writer.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.writer.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int failed =
      ::posix_spawnp(&child_, arguments[0], &actions, &attributes, arguments.data(), own_environment());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    child_ = 0;
    return;
  }
  out_ = std::move(out.reader);
  errors_ = std::move(errors.reader);
}

PolledProcess::~PolledProcess() {
  kill_and_wait(child_);
}

void PolledProcess::read(std::string& out, std::string& errors, size_t limit) {
  read_available(out_, out, limit);
  read_available(errors_, errors, limit);
}

void PolledProcess::read_some(std::string& out, std::string& errors, size_t most) {
  read_available(out_, out, SIZE_MAX, most);
  read_available(errors_, errors, SIZE_MAX, most);
}

bool PolledProcess::look_for_end() {
  return has_ended(child_, exit_code_);
}

void PolledProcess::send(int signal) const {
  if (child_ != 0) ::kill(child_, signal);
}

}  // namespace kml
