#include "local/shim/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "local/shim/privileges.h"

namespace kml::local {

namespace {

/// The path of a program or, worded as by container runtimes, why it cannot be run.
struct Executable {
  std::string path;
  /// the fault, such as `exec: "foo": executable file not found in $PATH`; empty if the program can be run
  std::string problem;
};

/// 0 if the file can be executed, otherwise the errno value.
int problem_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

Executable refused(const std::string& name, std::string_view why) {
  constexpr size_t kLongestName = 256;  // limited because the message must fit into a container's status
  return {"", fmt::format("exec: \"{}\": {}", name.substr(0, kLongestName), why)};
}

/// Finds a program as execvp(3) does: a name with a slash is a path, any other name is looked up in
/// `search_path`.
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

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// RLIMIT_NPROC counts the processes and threads of the user: only the container's if the container has its
/// own user namespace, otherwise also those outside the container.
void limit_processes(int64_t most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(most));
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  ::setrlimit(RLIMIT_NPROC, &limit);
}

/// Forks a child that starts in the cgroup of version 2, because entering it later would have to wait some
/// milliseconds for all processors. Negative if there is no such cgroup, or the kernel is older than 5.7.
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

/// Allows the user's program to open /dev/stdout and its terminal. Changes only pipes and terminals, because
/// other programs may also use a device such as /dev/null.
void give_to(uid_t user, int fd) {
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !(S_ISFIFO(info.st_mode) || ::isatty(fd) == 1)) return;
  [[maybe_unused]] const int ignored = ::fchown(fd, user, static_cast<gid_t>(-1));
}

/// Replaces the calling process by the program. If that fails, writes the reason to `problems`, and ends the
/// process. `is_inside` means that the process is already in the cgroup of version 2.
[[noreturn]] void become_program(const KeeperSettings& settings, const ProgramStart& start,
                                 const std::string& path, int problems, bool is_inside) {
  auto fail = [&](const std::string& why) {
    [[maybe_unused]] ssize_t ignored = ::write(problems, why.data(), why.size());
    ::_exit(1);
  };
  ::setsid();
  for (const CgroupEntrance& cgroup : settings.cgroups)
    if (!(is_inside && cgroup.is_unified) && !enter(cgroup))
      fail(fmt::format("cannot enter the pod's cgroup: {}", std::strerror(errno)));
  if (settings.max_processes > 0) limit_processes(settings.max_processes);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto or_null = [&](int fd) { return fd < 0 ? null.get() : fd; };
  ::dup2(or_null(start.in), STDIN_FILENO);
  ::dup2(or_null(start.out), STDOUT_FILENO);
  ::dup2(or_null(start.err), STDERR_FILENO);
  if (start.terminal) ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  // exec() keeps the signal mask and ignored signals, so both are reset.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const Privileges& privileges = settings.container.privileges;
  if (privileges.user)
    for (int fd : {start.in, start.out, start.err}) give_to(static_cast<uid_t>(*privileges.user), fd);
  if (auto problem = give_up_privileges(privileges)) fail(*problem);
  ::execve(path.c_str(), pointers(start.argv).data(), pointers(settings.container.environment).data());
  fail(fmt::format("exec: \"{}\": {}", start.argv[0], std::strerror(errno)));
  ::_exit(1);
}

}  // namespace

std::string variable(const ContainerPlan& container, std::string_view name) {
  for (const std::string& entry : container.environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

pid_t start_program(const KeeperSettings& settings, const ProgramStart& start, std::string& problem) {
  const ContainerPlan& container = settings.container;
  if (::chdir(container.folder.c_str()) != 0) {
    problem =
        fmt::format("cannot change to the working folder \"{}\": {}", container.folder, std::strerror(errno));
    return 0;
  }
  const Executable program = find_executable(start.argv.at(0), variable(container, "PATH"));
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
  if (main == 0) become_program(settings, start, program.path, writer.get(), is_inside);
  writer = Fd();
  char text[512];
  const ssize_t got = ::read(reader.get(), text, sizeof text);
  if (got <= 0) return main;  // exec() has closed the pipe, so the program is running
  problem.assign(text, static_cast<size_t>(got));
  while (::waitpid(main, nullptr, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace kml::local
