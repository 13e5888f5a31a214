#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kml/api/quantity.h"
#include "kml/api/resource.h"

namespace kml::local {

// What ResourceQuotas count, as k8s.io/kubernetes/pkg/quota/v1/evaluator/core does.

/// By the names that a quota has for them ("requests.cpu", "pods", "count/jobs.batch"), in thousandths.
using Amounts = api::Amounts;

/// What device plugins and their like offer, as nvidia.com/gpu: a whole number, never more requested than
/// given.
inline bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

/// What one object takes of the quotas of its namespace. A pod that has ended takes only its place in
/// "count/pods". Its requests are complete: admission has set those that follow limits.
Amounts usage_of(const api::ResourceKind& kind, const Json& object);

/// Whether the quota's scopes mean this object; those that have any mean pods alone.
bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object);

/// "must specify limits.cpu for: main": a pod has to say what it takes of cpu and memory where a quota
/// limits them. Empty where nothing is missing.
std::string missing_requests(const Amounts& hard, const Json& pod);

/// As the API writes it: "100m", "4", "2k", "1Gi".
std::string amount_text(const std::string& name, int64_t thousandths);

}  // namespace kml::local
