#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kml::api {

/// A Kubernetes resource.Quantity ("500m", "1.5Gi", "2e3") in thousandths of its unit, rounded up; values
/// past 64 bits become the largest. Empty where the text is no quantity.
std::optional<int64_t> quantity_milli(std::string_view text);

/// The same in whole units (bytes, GPUs), rounded up.
std::optional<int64_t> quantity_units(std::string_view text);

}  // namespace kml::api
