#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/core/files.h"
#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// What a file of /proc or of a cgroup says, which the kernel makes while it is read: to its end, or as far
/// as it can be read. Empty if it cannot: the process has ended, or is another user's.
std::string read_kernel_file(const std::filesystem::path& path);

/// A cgroup's folder, held open so that it is reached whatever is mounted over it.
struct CgroupEntrance {
  Fd folder;
  bool is_unified;
};

/// A pod's cgroups, which hold its number of processes and its containers' memory down. They are noted in the
/// pod's folder, so that whoever finds the pod's shim dead can end what is in them.
class PodCgroup {
 public:
  /// Makes them; where that fails the pod is without, and stderr reports it.
  PodCgroup(const PodPlan& plan, const PodFolder& folder);
  /// Removes them, which no process may be in any more.
  ~PodCgroup();
  PodCgroup(const PodCgroup&) = delete;
  PodCgroup& operator=(const PodCgroup&) = delete;

  std::vector<CgroupEntrance> entrances(const ContainerPlan& container) const;
  /// Where the kernel counts what it killed at the container's memory limit; empty if that is not limited.
  std::string memory_statistics(const ContainerPlan& container) const;
  /// The most bytes that the container's processes had together, with the files that are cached for them; 0
  /// where nobody counts that.
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
  std::filesystem::path memory_;   ///< the pod's, with a folder for each container that has a limit
  std::set<std::string> limited_;  ///< those containers
  bool limits_processes_ = false, memory_is_unified_ = false;
};

/// Kills all processes in the pod's cgroups and removes those: the ones that its folder names and the ones
/// below `roots`. The pod's program can write into the folder, so a path there counts only where it is a
/// cgroup of this pod by its name. False if no process was left in any; else call again, since they may
/// take a moment to end.
bool end_cgroups(const PodFolder& folder, const std::string& pod_uid,
                 const std::vector<CgroupRoot>& roots = {});

/// What can be known of a program that SIGKILL ended, though nobody here sent it. Where the container's
/// memory is not limited by a cgroup of its own, only the machine's count tells, and only that.
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
