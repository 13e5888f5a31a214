#pragma once

#include "kml/base/json.h"

namespace kml::engine {

/// If only one node at a time can mount the claim's volume, makes all pods of this template start on the same
/// node. A pod on a different node would wait for the volume as long as any other pod of the template is
/// running. The first pod may start on any node, because a pod may satisfy its own required affinity
/// (k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity, satisfyPodAffinity).
void keep_on_one_node(const Json& claim, Json& pod_template);

}  // namespace kml::engine
