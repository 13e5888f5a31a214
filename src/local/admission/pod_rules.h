#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "local/api/api_error.h"

namespace kml::local {

inline constexpr int64_t kMaxInt32 = 2147483647;  ///< of an int32 field

/// Fills a PodSpec, also a template's, as the API server does
/// (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go).
void default_pod_spec(Json& spec);
/// What is left as it is in templates: requests that follow limits, a grace that cannot be negative.
void default_pods_own(Json& spec);

/// Its containers, those that only start it first, and where each stands: "spec.containers[0]".
std::vector<std::pair<const Json*, std::string>> named_containers(const Json& spec, const std::string& path);

/// Checks a PodSpec (k8s.io/kubernetes/pkg/apis/core/validation), `path` being where it stands.
void validate_pod_spec(const Json& spec, const std::string& path, FieldErrors& errors);

/// "Guaranteed", "Burstable" or "BestEffort".
std::string qos_class(const Json& spec);

/// A pod's spec may change in few places: image, activeDeadlineSeconds, tolerations (k8s.io/kubernetes,
/// ValidatePodUpdate). `next` and `current` are specs.
void validate_pod_change(const Json& next, const Json& current, FieldErrors& errors);

}  // namespace kml::local
