#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

inline constexpr int64_t kMilli = 1000;  ///< the number of thousandths in one unit

/// Parses a Kubernetes resource.Quantity ("500m", "1.5Gi", "2e3") into thousandths of its unit, rounded up.
/// Values beyond 64 bits become the largest int64_t. Empty if the text is not a quantity.
std::optional<int64_t> quantity_milli(std::string_view text);

/// Parses a quantity into whole units (bytes, GPUs), rounded up. Empty if the text is not a quantity.
std::optional<int64_t> quantity_units(std::string_view text);

/// Whether a resource is a GPU or a slice of one: "nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/gpu",
/// "gpu.intel.com/i915".
bool is_gpu_resource(std::string_view resource);

/// Quantities in thousandths, by the resource's name.
using Amounts = std::map<std::string, int64_t, std::less<>>;
/// The amounts of a v1 ResourceList, e.g. a container's requests. An invalid quantity is treated as 0.
Amounts amounts_of(const Json& resource_list);

/// Like amounts_of(), for GPUs alone: whole cards and slices of all vendors. No amount is negative or beyond
/// a million GPUs, because a manifest is not trusted.
Amounts gpu_amounts_of(const Json& resource_list);
/// The sum of all amounts, in whole units.
int64_t total_units(const Amounts& amounts);

void add(Amounts& sum, const Amounts& more);
void subtract(Amounts& sum, const Amounts& less);

}  // namespace kml::api
