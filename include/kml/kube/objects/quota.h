#pragma once

#include <optional>
#include <string_view>

#include "kml/base/json.h"
#include "kml/kube/objects/quantity.h"

namespace kml::api {

// What a v1 ResourceQuota counts, as in k8s.io/kubernetes/pkg/quota/v1/evaluator/core.

/// Whether this is a resource that Kubernetes does not define, but that quotas can limit as "requests.NAME",
/// such as nvidia.com/gpu. Amounts of such a resource are whole numbers, and its request equals its limit.
inline bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

/// Sets the usage to these requests and limits, under the names that quotas have for them: "cpu",
/// "requests.cpu", "limits.cpu".
void add_quota_compute(Amounts& usage, const Amounts& requests, const Amounts& limits);

/// How much the pod adds to the usage of quotas, by the quotas' names. A finished pod only adds to
/// "count/pods". Also accepts an object with only the spec of a future pod.
Amounts quota_usage_of_pod(const Json& pod);

/// Whether the quota's scopes include the pod. Empty if this depends on a scope that this version of kml does
/// not know.
std::optional<bool> quota_counts(const Json& quota, const Json& pod);

/// Whether one of the quota's scopes has this name.
bool has_quota_scope(const Json& quota, std::string_view scope);

}  // namespace kml::api
