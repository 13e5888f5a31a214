#include "local/kubelet/shim_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "local/shim/own_session.h"
#include "local/shim/pod_cgroup.h"

namespace kml::local {

namespace {

/// Whether the process is the pod's shim, judging by the command line that it started with ("kml shim
/// FOLDER") and its user. The pod's program cannot forge these for a process that is not its own.
bool is_shim_of(pid_t pid, const PodFolder& folder) {
  const std::filesystem::path process = "/proc/" + std::to_string(pid);
  const std::vector<std::string> words = split(read_kernel_file(process / "cmdline"), '\0');
  if (words.size() < 3 || words[1] != "shim" ||
      std::filesystem::path(words[2]).filename() != folder.path.filename())
    return false;
  // proc_pid_status(5): the real user comes first, then the effective one.
  const std::string status = read_kernel_file(process / "status");
  const size_t line = status.find("\nUid:\t"), effective = status.find('\t', line + 6);
  return line != std::string::npos && effective != std::string::npos &&
         std::strtoul(status.c_str() + effective, nullptr, 10) == ::geteuid();
}

Fd in_memory(const std::string& text) {
  Fd fd(::memfd_create("plan", MFD_CLOEXEC));
  if (!fd || ::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw system_error("cannot pass a pod's plan to its shim", errno);
  return fd;
}

}  // namespace

ShimProcess ShimProcess::spawn(const std::filesystem::path& binary, const PodFolder& folder,
                               const PodPlan& plan) {
  const Fd text = in_memory(to_json(plan).dump());
  const pid_t pid = start_in_own_session(binary, "shim", folder.path, text.get(), "a pod's shim");
  return {pid, open_process(pid)};
}

std::optional<ShimProcess> ShimProcess::find(pid_t owner, const PodFolder& folder) {
  if (owner <= 0) return {};
  Fd pidfd = open_process(owner);
  // This is checked while the pidfd is open, so the process number cannot belong to a different process.
  if (!pidfd || !is_shim_of(owner, folder)) return {};
  return ShimProcess(owner, std::move(pidfd));
}

std::optional<ShimProcess> ShimProcess::search(const PodFolder& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored))
    if (const int pid = std::atoi(entry.path().filename().c_str()); pid > 0 && is_shim_of(pid, folder))
      if (auto found = find(pid, folder)) return found;
  return {};
}

void ShimProcess::on_end(EventLoop& loop, std::function<void(bool well)> callback) {
  loop.watch(pidfd_.get(), EPOLLIN,
             [&loop, fd = pidfd_.get(), pid = pid_, callback = std::move(callback)](uint32_t) {
               loop.forget(fd);
               int status = 0;
               // This process can only wait for its own children. The exit codes of other processes are
               // unknown.
               const bool waited = ::waitpid(pid, &status, WNOHANG) == pid;
               callback(waited && WIFEXITED(status) && WEXITSTATUS(status) == 0);
             });
}

void ShimProcess::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

bool ShimProcess::is_stopped() const {
  // proc_pid_stat(5): the state follows the name. The name is in parentheses, and may itself contain
  // parentheses.
  const std::string stat = read_kernel_file("/proc/" + std::to_string(pid_) + "/stat");
  const size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.substr(name_end + 1, 2) == " T";
}

namespace {

/// Whether the environment that the process started with contains the mark. Another user's environment is
/// unreadable, and that of an ended process is empty.
bool is_marked(const std::filesystem::path& process, const std::string& mark) {
  // With the zero byte in front, the mark also matches the first variable.
  return ('\0' + read_kernel_file(process / "environ")).find(mark) != std::string::npos;
}

/// The pidfds of all processes with the mark, by process number. A signal sent through a pidfd never reaches
/// a different process that reuses the number.
std::map<int, Fd> marked_processes(const std::string& mark) {
  std::map<int, Fd> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    Fd process = open_process(pid);
    if (process && is_marked(entry.path(), mark)) found.emplace(pid, std::move(process));
  }
  return found;
}

}  // namespace

std::optional<ShimProcess> living_shim(const PodFolder& folder, const Claim& claim) {
  auto owner = claim.state == Claim::held ? ShimProcess::find(claim.owner, folder) : std::nullopt;
  return owner ? std::move(owner) : ShimProcess::search(folder);
}

bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots) {
  const bool in_cgroups = end_cgroups(folder, pod_uid, roots);
  const std::string mark = '\0' + std::string(kPodMark) + '=' + pod_uid + '\0';
  std::map<int, Fd> stopped;
  // Stops all processes before it kills any, because a stopped process cannot fork.
  for (bool found_new = true; found_new;) {
    found_new = false;
    for (auto& [pid, process] : marked_processes(mark)) {
      if (stopped.contains(pid)) continue;
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGSTOP, nullptr, 0);
      stopped.emplace(pid, std::move(process));
      found_new = true;
    }
  }
  for (const auto& [pid, process] : stopped)
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  return in_cgroups || !stopped.empty();
}

}  // namespace kml::local
