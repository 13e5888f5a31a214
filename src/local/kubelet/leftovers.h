#pragma once

#include <string>
#include <vector>

#include "local/shim/pod_folder.h"
#include "local/shim/pod_plan.h"

namespace kml::local {

/// Ends what a pod's shim left when it was killed: its cgroups with what is in them, and the processes that
/// carry the pod's mark (kPodMark): where no namespaces are permitted they outlive their shim and their
/// keeper when both are killed. False where none was left; else look again, since they may take a moment to
/// end.
bool kill_leftovers(const PodFolder& folder, const std::string& pod_uid,
                    const std::vector<CgroupRoot>& roots);

}  // namespace kml::local
