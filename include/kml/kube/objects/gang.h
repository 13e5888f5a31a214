#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::api {

/// The annotation of a pod with the size of its gang: the number of its job's pods, including this one, that
/// the embedded server starts together.
inline constexpr std::string_view kGangSize = "kml.dev/gang-size";
/// The annotation of a Job with the PodGroup that kml made for its pods.
inline constexpr std::string_view kPodGroup = "kml.dev/pod-group";

/// The gang that a Job asks the scheduler for, see JobSchedulingConfiguration in k8s.io/api/batch/v1; nullptr
/// if there is none.
inline const Json* native_gang_of(const Json& job) {
  return find(job, {"spec", "scheduling", "schedulingPolicy", "gang"});
}
/// Whether the pods of a Job run together, as one program. The tasks of an array do not.
inline bool is_gang(const Json& job) {
  return native_gang_of(job) || annotation_of(job, kGang) == "true" ||
         annotation_of(pod_template_of(job), kGang) == "true";
}

/// The PodGroup (scheduling.k8s.io) with which a pod starts; empty if it has none.
inline std::string pod_group_of(const Json& pod) {
  return string_at(pod, {"spec", "schedulingGroup", "podGroupName"});
}

}  // namespace kml::api
