#include "local/kubelet/leftovers.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "kml/core/files.h"
#include "local/shim/kernel_file.h"
#include "local/shim/pod_cgroup.h"

namespace kml::local {

namespace {

/// By the environment that the process began with. Another user's cannot be read, and one that has ended has
/// none.
bool is_marked(const std::filesystem::path& process, const std::string& mark) {
  // The byte before it is there so that the first variable too begins after one.
  return ('\0' + read_kernel_file(process / "environ")).find(mark) != std::string::npos;
}

/// By process number. Held by pidfds, so that a signal never reaches another process that got the number.
std::map<int, Fd> marked_processes(const std::string& mark) {
  std::map<int, Fd> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process && is_marked(entry.path(), mark)) found.emplace(pid, std::move(process));
  }
  return found;
}

}  // namespace

bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots) {
  const bool in_cgroups = end_cgroups(folder, pod_uid, roots);
  const std::string mark = '\0' + std::string(kPodMark) + '=' + pod_uid + '\0';
  std::map<int, Fd> stopped;
  // All are stopped before any is killed: a stopped process forks no more.
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
