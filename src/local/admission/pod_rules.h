#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "local/api/api_error.h"

namespace kml::local {

inline constexpr int64_t kMaxInt32 = 2147483647;  ///< the largest int32

/// Sets the defaults of a PodSpec, in templates too, as the API server does
/// (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go).
void default_pod_spec(Json& spec);
/// Sets the defaults that only pods get, not templates: requests equal to the limits if they are missing, and
/// a non-negative grace period.
void default_pods_own(Json& spec);

/// The pod's containers and init containers, each with its path, such as "spec.containers[0]".
std::vector<std::pair<const Json*, std::string>> named_containers(const Json& spec, const std::string& path);

/// Checks a PodSpec (k8s.io/kubernetes/pkg/apis/core/validation). `path` is the path of the spec.
void validate_pod_spec(const Json& spec, const std::string& path, FieldErrors& errors);

/// The QoS class: "Guaranteed", "Burstable" or "BestEffort".
std::string qos_class(const Json& spec);

/// Checks an update of a pod's spec: only images, activeDeadlineSeconds, tolerations and schedulingGates may
/// change (k8s.io/kubernetes, ValidatePodUpdate). `next` and `current` are specs.
void validate_pod_change(const Json& next, const Json& current, FieldErrors& errors);

}  // namespace kml::local
