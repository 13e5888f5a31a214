#pragma once

#include <string_view>

namespace kml::job {

/// The annotation of a job with the sources of --data and their versions, one per line.
inline constexpr std::string_view kData = "kml.dev/data";

}  // namespace kml::job
