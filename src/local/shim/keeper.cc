#include "local/shim/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "local/shim/container_mounts.h"
#include "local/shim/privileges.h"
#include "local/shim/process_tree.h"

namespace kml::local {

namespace {

/// Where a program lies, or why it cannot be run, in the words of container runtimes.
struct Executable {
  std::string path;
  std::string problem;  ///< `exec: "foo": executable file not found in $PATH`; empty if all is well
};

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

/// As execvp(3) would find it: a name with a slash is a path from the current folder, any other is looked up
/// in `search_path`.
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

constexpr int kNamespaces = CLONE_NEWPID | CLONE_NEWNS;

/// getrusage(2): of the children that were waited for, and of theirs; the size is in kilobytes.
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

/// Each process, and thread, of the user counts, in the user namespace that the container has of its own and,
/// less the container's, outside.
void limit_processes(int64_t most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(most));
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(RLIMIT_NPROC, &limit);
}

bool enter(const CgroupEntrance& cgroup) {
  const Fd processes(::openat(cgroup.folder.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
  return processes && ::write(processes.get(), "0", 1) == 1;
}

/// A child that is inside the cgroup of version 2 from its begin: to enter it later waits some milliseconds
/// for all processors. Negative where there is none or the kernel (before 5.7) does not know how.
pid_t fork_inside(const std::vector<CgroupEntrance>& cgroups) {
  for (const CgroupEntrance& cgroup : cgroups) {
    if (!cgroup.is_unified) continue;
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<__u64>(cgroup.folder.get());
    return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  }
  return -1;
}

/// In the process that is to be the program: makes it so, or tells why not and ends. `is_inside` tells
/// whether it is in the cgroup of version 2.
[[noreturn]] void become_program(const KeeperSettings& settings, const std::string& path, int problems,
                                 bool is_inside) {
  auto fail = [&](const std::string& why) {
    [[maybe_unused]] ssize_t ignored = ::write(problems, why.data(), why.size());
    ::_exit(1);
  };
  ::setsid();
  for (const CgroupEntrance& cgroup : settings.cgroups)
    if (!(is_inside && cgroup.is_unified) && !enter(cgroup))
      fail(fmt::format("cannot enter the pod's cgroup: {}", std::strerror(errno)));
  if (settings.max_processes > 0) limit_processes(settings.max_processes);
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(settings.out, STDOUT_FILENO);
  ::dup2(settings.err, STDERR_FILENO);
  // exec keeps the signal mask and what is ignored.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // So that the program can open /dev/stdout.
  const Privileges& privileges = settings.container.privileges;
  for (int fd : {settings.out, settings.err})
    if (privileges.user) [[maybe_unused]]
      int ignored = ::fchown(fd, static_cast<uid_t>(*privileges.user), static_cast<gid_t>(-1));
  if (auto problem = give_up_privileges(privileges)) fail(*problem);
  ::execve(path.c_str(), pointers(settings.container.argv).data(),
           pointers(settings.container.environment).data());
  fail(fmt::format("exec: \"{}\": {}", settings.container.argv[0], std::strerror(errno)));
  ::_exit(1);
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
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  pid_t main = fork_inside(settings.cgroups);
  const bool is_inside = main >= 0;
  if (!is_inside) main = ::fork();
  if (main < 0) throw system_error("cannot start a process", errno);
  if (main == 0) become_program(settings, program.path, writer.get(), is_inside);
  writer = Fd();
  char text[512];
  const ssize_t got = ::read(reader.get(), text, sizeof text);
  if (got <= 0) return main;  // exec closed it
  problem.assign(text, static_cast<size_t>(got));
  while (::waitpid(main, nullptr, 0) < 0 && errno == EINTR) {
  }
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
