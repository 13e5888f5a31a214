#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::local {

inline constexpr std::string_view kGpu = "nvidia.com/gpu";

/// Amounts by resource name: cpu in thousandths, all others in units (bytes, GPUs, pods).
using Resources = std::map<std::string, int64_t, std::less<>>;

void add(Resources& sum, const Resources& more);
void subtract(Resources& sum, const Resources& less);

/// From a ResourceList ("cpu": "500m"). What is no quantity counts as 0: admission has refused it.
Resources resources_from_json(const Json& list);

/// What a pod takes of its node: the sum over its containers, or an init container's where that is more, and
/// one of "pods". A limit stands for a request that is not given. (KEP-753's formula without sidecars.)
Resources pod_request(const Json& pod);

}  // namespace kml::local
