#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

inline constexpr const char* kProcessorLabel = "kubernetes.io/arch";

/// The processors on which the job's pods may run, such as "amd64": that of their node selector, or those of
/// the nodes on which they fit. Empty if unknown.
std::set<std::string> processors_for(const Json& job, const std::vector<Json>& nodes);

}  // namespace kml::job
