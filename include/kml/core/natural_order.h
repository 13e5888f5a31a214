#pragma once

#include <string_view>

namespace kml {

/// As a person sorts names: numbers in them by their value, "gpu-9" before "gpu-10", and "gpu-10" before
/// "node1".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace kml
