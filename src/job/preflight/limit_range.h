#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The spec of a pod after the server has added the defaults of these LimitRanges, and the requests that
/// follow from limits.
Json with_range_defaults(Json pod_spec, const std::vector<Json>& limit_ranges);

/// Why one of the LimitRanges rejects the pod, in the words of the server
/// (k8s.io/kubernetes/plugin/pkg/admission/limitranger), or why the pod is invalid with the defaults that
/// they have added; empty if neither is so. The pod already has the defaults.
std::string refusal_of_ranges(const Json& pod_spec, const std::vector<Json>& limit_ranges);

}  // namespace kml::job
