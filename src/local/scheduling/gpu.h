#pragma once

#include <string_view>

namespace kml::local {

/// The resource whose slots the embedded server hands out.
inline constexpr std::string_view kGpu = "nvidia.com/gpu";

}  // namespace kml::local
