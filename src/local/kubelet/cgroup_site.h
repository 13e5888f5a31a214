#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "local/shim/pod_plan.h"

namespace kml::local {

/// The cgroups in which this process can create cgroups for pods, found by trying; empty if none.
std::vector<CgroupRoot> find_cgroup_roots();

/// The candidates, from the texts of /proc/self/cgroup and /proc/self/mountinfo. For version 1: one per
/// controller. For version 2: the process's own cgroup and its ancestors, the nearest first.
std::vector<CgroupRoot> possible_cgroup_roots(const std::string& own, const std::string& mounts);

bool has_controller(const std::vector<CgroupRoot>& roots, std::string_view controller);

/// The default limit of processes and threads of a pod: a quarter of the machine's maximum, so that one pod
/// never uses them all, and at most 32,768.
int64_t default_max_processes();

}  // namespace kml::local
