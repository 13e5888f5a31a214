#include "local/shim/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kml/core/error.h"
#include "local/shim/container_mounts.h"
#include "local/shim/executable.h"
#include "local/shim/process_tree.h"

namespace kml::local {

namespace {

constexpr int kNamespaces = CLONE_NEWPID | CLONE_NEWNS;

void report(int fd, KeeperReport::Kind kind, int status, const std::string& text) {
  KeeperReport record{kind, status, {}};
  text.copy(record.text, sizeof record.text - 1);
  [[maybe_unused]] ssize_t ignored = ::write(fd, &record, sizeof record);
}

std::string variable(const ContainerPlan& container, std::string_view name) {
  for (const std::string& entry : container.environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// Starts the program, in a session of its own. Returns its pid, or 0 and why not.
pid_t start_program(const KeeperSettings& settings, std::string& problem) {
  const ContainerPlan& container = settings.container;
  if (::chdir(container.folder.c_str()) != 0) {
    problem =
        fmt::format("cannot change to the working folder \"{}\": {}", container.folder, std::strerror(errno));
    return 0;
  }
  const Executable program = find_executable(container.argv.at(0), variable(container, "PATH"));
  if (!program.problem.empty()) {
    problem = program.problem;
    return 0;
  }
  ::umask(022);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, settings.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, settings.err, STDERR_FILENO);
  // exec keeps the signal mask and what is ignored.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  pid_t main = 0;
  const int failure = ::posix_spawn(&main, program.path.c_str(), &files, &attributes,
                                    pointers(container.argv).data(), pointers(container.environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure == 0) return main;
  problem = fmt::format("exec: \"{}\": {}", container.argv[0], std::strerror(failure));
  return 0;
}

/// Waits for the program's end or the order to end it; afterwards no other process is left. Returns its wait
/// status.
int watch_over(pid_t main, const sigset_t& signals) {
  for (;;) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGTERM) ::kill(main, SIGTERM);
    if (signal == SIGUSR1) ::kill(main, SIGKILL);
    int status = 0;
    pid_t ended;
    while ((ended = ::waitpid(-1, &status, signal == SIGUSR1 ? 0 : WNOHANG)) > 0)
      if (ended == main) {
        kill_all_descendants();
        return status;
      }
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
                       unsigned group, int reports, int life) {
  ::prctl(PR_SET_PDEATHSIG, namespaces ? SIGKILL : SIGUSR1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "kml-keeper");
  char byte;
  // The shim may have died before the first line: then this pipe has no writer.
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
    failure = mount_volumes({mounts_of(settings), settings.container.folder,
                             variable(settings.container, "HOME"), settings.stage});
    if (failure) refuse(KeeperReport::refused, *failure);
  } else if (auto failure = check_mounts_without_namespace(settings.container.mounts)) {
    refuse(KeeperReport::refused, *failure);
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGUSR1, SIGCHLD}) sigaddset(&signals, signal);
  std::string problem;
  const pid_t main = start_program(settings, problem);
  if (main == 0) refuse(KeeperReport::refused, problem);
  report(reports, KeeperReport::started, 0, {});
  report(reports, KeeperReport::ended, watch_over(main, signals), {});
  ::_exit(0);
}

}  // namespace

Keeper start_keeper(const KeeperSettings& settings) {
  int ends[2], life[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::pipe2(life, O_CLOEXEC) != 0)
    throw system_error("cannot make a pipe", errno);
  Fd reader(ends[0]), writer(ends[1]), life_reader(life[0]), life_writer(life[1]);

  // The child begins with these blocked: none may be missed before it waits for them.
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
    try {
      keep(settings, namespaces, map_ids, user, group, writer.get(), life_reader.get());
    } catch (const std::exception& e) {
      report(writer.get(), KeeperReport::refused, 0, e.what());
      ::_exit(1);
    }
  }
  const int failure = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw system_error("cannot start a process", failure);
  [[maybe_unused]] ssize_t ignored = ::write(life_writer.get(), "g", 1);
  return {pid, std::move(reader)};
}

}  // namespace kml::local
