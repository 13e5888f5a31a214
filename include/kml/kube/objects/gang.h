#pragma once

#include <string_view>

namespace kml::api {

/// Annotation of a pod: with how many pods of its job, itself included, the embedded server starts it
/// together.
inline constexpr std::string_view kGangSize = "kml.dev/gang-size";

}  // namespace kml::api
