#pragma once

#include <string>

namespace kml::local {

/// Kills the processes that carry the pod's mark (kPodMark): where no namespaces are permitted they outlive
/// their shim and their keeper when both are killed. False where none was left; else look again, since they
/// may take a moment to end. For a pod whose shim has ended.
bool kill_leftovers(const std::string& pod_uid);

}  // namespace kml::local
