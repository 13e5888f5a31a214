#include "kml/core/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"
#include "kml/core/files.h"

namespace kml {

namespace {

/// Reads to the end, keeping at most `limit` bytes, so that the child never blocks on a full pipe.
std::string drain(int fd, size_t limit) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, std::min(static_cast<size_t>(got), limit - text.size()));
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                          size_t limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe for " + argv.at(0), errno);
  Fd reader(ends[0]), writer(ends[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int failure = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return {127, ""};

  writer = Fd();
  ProcessResult result;
  result.out = drain(reader.get(), limit);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

std::filesystem::path own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace kml
