#include "kml/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// Waits until data can be read; returns false if `end` comes first.
bool readable_before(int fd, SteadyTime end) {
  for (;;) {
    int limit = -1;
    if (end != SteadyTime::max()) {
      const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
      limit = static_cast<int>(std::clamp<long long>(left.count(), 0, 1 << 30));
    }
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, limit);
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

enum class Drained { all, late, too_long };

/// Reads to the end, so that the child never blocks on a full pipe, but keeps at most `limit` bytes. With
/// `ends_at_limit`, stops reading at the limit.
Drained drain(int fd, size_t limit, bool ends_at_limit, SteadyTime end, std::string& text) {
  char buffer[1 << 16];
  while (readable_before(fd, end)) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Drained::all;
    const size_t more = static_cast<size_t>(got), room = limit - text.size();
    text.append(buffer, std::min(more, room));
    if (ends_at_limit && more > room) return Drained::too_long;
  }
  return Drained::late;
}

/// This process's environment plus the additions. If a name occurs several times, its last value is used.
std::vector<char*> environment_with(const std::vector<std::string>& additions) {
  std::vector<char*> all;
  auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  auto add = [&](char* entry) {
    if (std::none_of(all.begin(), all.end(), [&](char* other) { return name_of(other) == name_of(entry); }))
      all.push_back(entry);
  };
  for (auto it = additions.rbegin(); it != additions.rend(); ++it) add(const_cast<char*>(it->c_str()));
  for (char** own = own_environment(); *own; ++own) add(*own);
  all.push_back(nullptr);
  return all;
}

/// The actions of posix_spawn before the program starts.
class SpawnSettings {
 public:
  SpawnSettings(const ProcessOptions& options, int input, int output) {
    posix_spawn_file_actions_init(&actions);
    if (input >= 0)
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    else if (!options.inherit_input)
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!options.errors_file.empty())
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, options.errors_file.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
    else if (options.merge_errors)
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    else if (!options.inherit_errors)
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
    // Commands that read SIGINT from a signalfd block the signal. The program must not inherit the blocked
    // signal.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSettings(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// The reading end of a pipe that holds the text.
Fd pipe_with(std::string_view text, const std::string& program) {
  Pipe pipe = make_pipe();
  if (!pipe.reader || !write_whole(pipe.writer.get(), text))
    throw system_error("cannot create a pipe for " + program, errno);
  return std::move(pipe.reader);
}

/// Waits for a child and returns its exit status.
int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Waits until the child has ended, but leaves it for waitpid(). Returns false if `end` comes first.
bool ends_before(pid_t child, SteadyTime end) {
  if (const Fd process = open_process(child)) return readable_before(process.get(), end);
  for (;;) {  // Linux before 5.3 has no pidfd_open
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    if (ended.si_pid == child) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
}

}  // namespace

int exit_code_of_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

RunningProcess::RunningProcess(const std::vector<std::string>& argv, const ProcessOptions& options)
    : limit_(options.limit),
      ends_at_limit_(options.ends_at_limit),
      end_(options.time_limit.count() > 0 ? std::chrono::steady_clock::now() + options.time_limit
                                          : SteadyTime::max()) {
  Pipe pipe = make_pipe();
  if (!pipe.reader) throw system_error("cannot create a pipe for " + argv.at(0), errno);
  reader_ = std::move(pipe.reader);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const Fd input = options.input.empty() ? Fd() : pipe_with(options.input, argv[0]);
  const SpawnSettings settings(options, input.get(), pipe.writer.get());
  start_errno_ = ::posix_spawnp(&child_, arguments[0], &settings.actions, &settings.attributes,
                                arguments.data(), environment_with(options.environment).data());
  if (start_errno_ != 0) child_ = 0;
}

RunningProcess::~RunningProcess() {
  if (child_ == 0) return;
  ::kill(child_, SIGKILL);
  wait_for(child_);
}

bool RunningProcess::has_ended() const {
  return child_ == 0 || ends_before(child_, std::chrono::steady_clock::now());
}

ProcessResult RunningProcess::finish() {
  if (child_ == 0) return {.exit_code = 127, .out = {}, .start_errno = start_errno_};
  ProcessResult result;
  const Drained drained = drain(reader_.get(), limit_, ends_at_limit_, end_, result.out);
  result.is_too_long = drained == Drained::too_long;
  result.timed_out = drained == Drained::late || (!result.is_too_long && !ends_before(child_, end_));
  if (result.timed_out || result.is_too_long) ::kill(child_, SIGKILL);
  const int status = wait_for(std::exchange(child_, 0));
  result.exit_code = exit_code_of_status(status);
  return result;
}

int run_in_front(const std::vector<std::string>& argv) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), own_environment());
  posix_spawnattr_destroy(&attributes);
  return failed == 0 ? exit_code_of_status(wait_for(child)) : 127;
}

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  return RunningProcess(argv, options).finish();
}

}  // namespace kml
