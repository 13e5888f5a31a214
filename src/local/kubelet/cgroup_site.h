#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// Where this process may make cgroups for pods: as it tries out; empty if it may not.
std::vector<CgroupRoot> find_cgroup_roots();

/// Places to try, from the texts of /proc/self/cgroup and /proc/self/mountinfo: with version 1 one of each
/// controller, with version 2 the process's own cgroup and those above it, the nearest first.
std::vector<CgroupRoot> possible_cgroup_roots(const std::string& own, const std::string& mounts);

/// To be called before a pod is started. To enter a cgroup of version 1 waits for all processors, some 8 ms,
/// unless another process has done so just before: this does, beside the caller's work.
void prepare_to_enter(const std::vector<CgroupRoot>& roots);

bool has_controller(const std::vector<CgroupRoot>& roots, std::string_view controller);

/// Processes and threads that a pod may have where nobody says otherwise: a quarter of what the machine can
/// have, so that one pod never takes them all, and at most 32,768.
int64_t default_max_processes();

}  // namespace kml::local
