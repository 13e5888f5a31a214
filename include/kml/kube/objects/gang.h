#pragma once

#include <string_view>

namespace kml::api {

/// The annotation of a pod with the size of its gang: the number of its job's pods, including this one, that
/// the embedded server starts together.
inline constexpr std::string_view kGangSize = "kml.dev/gang-size";

}  // namespace kml::api
