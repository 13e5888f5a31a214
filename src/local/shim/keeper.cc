#include "local/shim/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "local/shim/command_channel.h"
#include "local/shim/container_commands.h"
#include "local/shim/container_mounts.h"
#include "local/shim/process_tree.h"
#include "local/shim/program.h"

namespace kml::local {

namespace {

constexpr int kNamespaces = CLONE_NEWPID | CLONE_NEWNS;

/// getrusage(2) includes the children that were waited for, and their children. It returns sizes in
/// kilobytes.
void add_usage(KeeperReport& record) {
  rusage usage{};
  if (::getrusage(RUSAGE_CHILDREN, &usage) != 0) return;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    record.cpu_microseconds += int64_t{1'000'000} * time.tv_sec + time.tv_usec;
  record.peak_process = int64_t{1024} * usage.ru_maxrss;
}

void report(int fd, KeeperReport::Kind kind, int status, const std::string& text) {
  KeeperReport record{kind, status, {}, 0, 0};
  if (kind == KeeperReport::ended) add_usage(record);
  text.copy(record.text, sizeof record.text - 1);
  [[maybe_unused]] ssize_t ignored = ::write(fd, &record, sizeof record);
}

/// Does what the signal asks for. If the program has ended, returns its wait status.
std::optional<int> heed(const signalfd_siginfo& signal, pid_t main, ContainerCommands& commands) {
  if (signal.ssi_signo == SIGTERM) ::kill(main, SIGTERM);
  const bool is_to_end = signal.ssi_signo == SIGUSR1;
  if (is_to_end) ::kill(main, SIGKILL);
  int status = 0;
  pid_t ended;
  while ((ended = ::waitpid(-1, &status, is_to_end ? 0 : WNOHANG)) > 0) {
    if (ended == main) return status;
    commands.reaped(ended, status);
  }
  return {};
}

/// Waits until the program exits or must be stopped, and starts commands in the meantime. Then kills all
/// other processes. Returns the program's wait status.
int watch_over(pid_t main, const sigset_t& signals, ContainerCommands& commands) {
  const Fd arrived(::signalfd(-1, &signals, SFD_CLOEXEC));
  for (;;) {
    std::vector<pollfd> sources{{arrived.get(), POLLIN, 0}};
    commands.add_sources(sources);
    if (::poll(sources.data(), sources.size(), -1) < 0) continue;
    signalfd_siginfo signal{};
    if (sources[0].revents != 0 && ::read(arrived.get(), &signal, sizeof signal) == sizeof signal)
      if (const auto status = heed(signal, main, commands)) {
        kill_all_descendants();
        return *status;
      }
    commands.look(sources);
  }
}

std::vector<Mount> mounts_of(const KeeperSettings& settings) {
  std::vector<Mount> mounts = settings.container.mounts;
  if (!settings.container.message_path.empty())
    mounts.push_back({.what = "the termination message",
                      .source = settings.message,
                      .path = settings.container.message_path,
                      .read_only = false,
                      .is_optional = true});
  return mounts;
}

[[noreturn]] void keep(const KeeperSettings& settings, bool namespaces, bool map_ids, unsigned user,
                       unsigned group, int reports, int life, Fd requests) {
  ::prctl(PR_SET_PDEATHSIG, namespaces ? SIGKILL : SIGUSR1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "kml-keeper");
  char byte;
  // If the shim died before the prctl() above, this pipe no longer has a writer.
  if (::read(life, &byte, 1) != 1) ::_exit(1);
  auto refuse = [&](KeeperReport::Kind kind, const std::string& why) {
    report(reports, kind, 0, why);
    ::_exit(1);
  };
  if (namespaces) {
    std::optional<std::string> failure;
    if (map_ids) failure = map_own_ids(user, group);
    if (!failure) failure = enter_namespaces();
    if (failure) refuse(KeeperReport::no_namespaces, *failure);
    failure =
        mount_volumes({mounts_of(settings), settings.container.folder, variable(settings.container, "HOME"),
                       settings.stage, settings.container.privileges.read_only_root});
    if (failure) refuse(KeeperReport::refused, *failure);
  } else if (settings.container.privileges.read_only_root) {
    refuse(KeeperReport::refused,
           "cannot make the root file system read-only: user and mount namespaces are not permitted on this "
           "machine");
  } else if (auto failure = check_mounts_without_namespace(settings.container.mounts)) {
    refuse(KeeperReport::refused, *failure);
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGUSR1, SIGCHLD}) sigaddset(&signals, signal);
  std::string problem;
  const ProgramStart start{settings.container.argv, -1, settings.out, settings.err};
  const pid_t main = start_program(settings, start, problem);
  if (main == 0) refuse(KeeperReport::refused, problem);
  report(reports, KeeperReport::started, 0, {});
  ContainerCommands commands(settings, std::move(requests));
  report(reports, KeeperReport::ended, watch_over(main, signals, commands), {});
  ::_exit(0);
}

}  // namespace

Keeper start_keeper(const KeeperSettings& settings) {
  int ends[2], life[2], requests[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::pipe2(life, O_CLOEXEC) != 0 ||
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests) != 0)
    throw system_error("cannot make a pipe", errno);
  Fd requests_sender(requests[0]), requests_taker(requests[1]);
  Fd reader(ends[0]), writer(ends[1]), life_reader(life[0]), life_writer(life[1]);

  // The child starts with these signals blocked, so that none is lost before it waits for them.
  sigset_t signals, before;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGUSR1, SIGCHLD}) sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, &before);

  const unsigned user = ::geteuid(), group = ::getegid();
  const bool map_ids = user != 0;
  bool namespaces = settings.namespaces;
  auto clone = [](int flags) {
    return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  };
  pid_t pid = -1;
  if (namespaces) pid = clone(kNamespaces | (map_ids ? CLONE_NEWUSER : 0));
  if (pid < 0) {
    namespaces = false;
    pid = clone(0);
  }
  if (pid == 0) {
    life_writer = Fd();
    requests_sender = Fd();
    try {
      keep(settings, namespaces, map_ids, user, group, writer.get(), life_reader.get(),
           std::move(requests_taker));
    } catch (const std::exception& e) {
      report(writer.get(), KeeperReport::refused, 0, exception_text(e));
      ::_exit(1);
    }
  }
  const int failure = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw system_error("cannot start a process", failure);
  [[maybe_unused]] ssize_t ignored = ::write(life_writer.get(), "g", 1);
  return {pid, std::move(reader), std::move(requests_sender)};
}

}  // namespace kml::local
