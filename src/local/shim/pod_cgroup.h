#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// Reads a file that the kernel generates (in /proc or a cgroup) to its end or the first error. Empty if it
/// cannot be read, because the process has ended or belongs to another user.
std::string read_kernel_file(const std::filesystem::path& path);

/// The folder of a cgroup. It is kept open, so that it can be used even if something is mounted over it.
struct CgroupEntrance {
  Fd folder;
  bool is_unified;
};
/// Moves this process, which must have a single thread, into the cgroup. If it is not allowed to enter,
/// returns false and sets errno.
bool enter(const CgroupEntrance& cgroup);

/// The cgroups of a pod, which limit its number of processes and the memory of its containers. They are
/// recorded in the pod's folder, so that if the pod's shim dies, another process can kill the processes in
/// them.
class PodCgroup {
 public:
  /// Creates the cgroups. If that fails, prints the reason to stderr, and the pod runs without them. Throws
  /// Error if they cannot be recorded in the pod's folder.
  PodCgroup(const PodPlan& plan, const PodFolder& folder);
  /// Removes the cgroups, which must no longer contain processes.
  ~PodCgroup();
  PodCgroup(const PodCgroup&) = delete;
  PodCgroup& operator=(const PodCgroup&) = delete;

  std::vector<CgroupEntrance> entrances(const ContainerPlan& container) const;
  /// The file in which the kernel counts the processes that it killed because the container reached its
  /// memory limit; empty if there is none.
  std::string memory_statistics(const ContainerPlan& container) const;
  /// The peak memory, in bytes, of all the container's processes together, including files cached for them; 0
  /// if it is not measured.
  int64_t peak_memory(const ContainerPlan& container) const;
  bool limits_processes() const { return limits_processes_; }

 private:
  void make(const CgroupRoot& root, const std::string& name, const PodPlan& plan);
  void limit_memory(const std::filesystem::path& folder, const ContainerPlan& container, bool is_unified);

  struct Made {
    std::filesystem::path folder;
    bool is_unified;
  };
  std::vector<Made> pod_folders_;
  std::filesystem::path memory_;   ///< the pod's cgroup, which has a folder for each limited container
  std::set<std::string> limited_;  ///< the names of the limited containers
  bool limits_processes_ = false, memory_is_unified_ = false;
};

/// Kills all processes in the pod's cgroups, and removes the cgroups: those listed in the pod's folder, and
/// those below `roots`. The pod's program can write to the folder, so a listed path is only used if it is a
/// cgroup with this pod's name. Returns false if no process was left; otherwise call it again, because
/// processes may need a moment to end.
bool end_cgroups(const PodFolder& folder, const std::string& pod_uid,
                 const std::vector<CgroupRoot>& roots = {});

/// Counts the processes that the kernel has killed for lack of memory, to explain a SIGKILL that kml did not
/// send. If the container has no memory cgroup of its own, only the count for the whole machine is known.
class MemoryKills {
 public:
  explicit MemoryKills(std::filesystem::path statistics = "/proc/vmstat");

  /// Empty if the kernel has not killed anything for lack of memory since this object was created.
  std::string explanation() const;
  /// How many processes were killed since this object was created.
  uint64_t killed() const { return count() - before_; }

 private:
  uint64_t count() const;

  std::filesystem::path statistics_;
  uint64_t before_;
};

}  // namespace kml::local
