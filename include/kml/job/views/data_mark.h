#pragma once

#include <string_view>

namespace kml::job {

/// The annotation of a job with the sources of --data and their versions, one per line.
inline constexpr std::string_view kData = "kml.dev/data";

/// The annotation of a job with the digest of the lock of its packages.
inline constexpr std::string_view kPackages = "kml.dev/packages";

}  // namespace kml::job
