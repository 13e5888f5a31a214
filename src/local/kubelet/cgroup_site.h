#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// The cgroups below which this process can create cgroups for pods. Found by trying; empty if there are
/// none.
std::vector<CgroupRoot> find_cgroup_roots();

/// The cgroups to try, from the texts of /proc/self/cgroup and /proc/self/mountinfo. In version 1 of cgroups,
/// this is one cgroup for each hierarchy with a controller that kml uses. In version 2, these are the
/// process's own cgroup and its ancestors, the nearest first.
std::vector<CgroupRoot> possible_cgroup_roots(const std::string& own, const std::string& mounts);

bool has_controller(const std::vector<CgroupRoot>& roots, std::string_view controller);

/// The default limit for a pod's processes and threads: a quarter of the machine's maximum, so that one pod
/// never uses all of them, but at least 1,024 and at most 32,768.
int64_t default_max_processes();

}  // namespace kml::local
