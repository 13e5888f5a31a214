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

/// Reads a file that the kernel generates (/proc, cgroup), to its end or the first error. Empty if it cannot
/// be read because the process has ended or belongs to another user.
std::string read_kernel_file(const std::filesystem::path& path);

/// A cgroup's folder, kept open so that it can be reached even if something is mounted over it.
struct CgroupEntrance {
  Fd folder;
  bool is_unified;
};
/// Moves this process, which must have only one thread, into the cgroup. Returns false, and sets errno, if it
/// may not enter.
bool enter(const CgroupEntrance& cgroup);

/// A pod's cgroups, which limit its number of processes and its containers' memory. They are recorded in the
/// pod's folder, so that a process that finds the pod's shim dead can kill the processes in them.
class PodCgroup {
 public:
  /// Makes the cgroups. If that fails, reports it on stderr, and the pod runs without them.
  PodCgroup(const PodPlan& plan, const PodFolder& folder);
  /// Removes the cgroups. No process may be in them any more.
  ~PodCgroup();
  PodCgroup(const PodCgroup&) = delete;
  PodCgroup& operator=(const PodCgroup&) = delete;

  std::vector<CgroupEntrance> entrances(const ContainerPlan& container) const;
  /// The file where the kernel counts the processes killed at the container's memory limit; empty without
  /// one.
  std::string memory_statistics(const ContainerPlan& container) const;
  /// The peak memory in bytes of all of the container's processes together, including files cached for them;
  /// 0 if it is not counted.
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
  std::filesystem::path memory_;   ///< the pod's cgroup, with a folder for each limited container
  std::set<std::string> limited_;  ///< the names of those containers
  bool limits_processes_ = false, memory_is_unified_ = false;
};

/// Kills all processes in the pod's cgroups, and removes the cgroups: those listed in its folder and those
/// below `roots`. The pod's program can write to the folder, so a path there counts only if it is a cgroup
/// with this pod's name. Returns false if no process was left; otherwise call it again, because processes may
/// need a moment to end.
bool end_cgroups(const PodFolder& folder, const std::string& pod_uid,
                 const std::vector<CgroupRoot>& roots = {});

/// Counts the processes that the kernel killed for lack of memory, to explain a SIGKILL that kml did not
/// send. If the container has no separate memory cgroup, only the count of the whole machine is known.
class MemoryKills {
 public:
  explicit MemoryKills(std::filesystem::path statistics = "/proc/vmstat");

  /// Empty if the kernel has killed nothing for lack of memory since the construction.
  std::string explanation() const;
  /// Processes killed since the construction.
  uint64_t killed() const { return count() - before_; }

 private:
  uint64_t count() const;

  std::filesystem::path statistics_;
  uint64_t before_;
};

}  // namespace kml::local
