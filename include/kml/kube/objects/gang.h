#pragma once

#include <string_view>

namespace kml::api {

/// Annotation of a pod: the number of pods of its job, itself included, that the embedded server starts
/// together.
inline constexpr std::string_view kGangSize = "kml.dev/gang-size";

}  // namespace kml::api
