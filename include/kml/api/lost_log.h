#pragma once

#include <string_view>

namespace kml::api {

/// How the embedded server's answer to a request for a log says that lines were removed before they were
/// read. It stands where they are missing, as a line without a time: no line of a container is that where
/// times were asked for.
inline constexpr std::string_view kLostLogNotice = "kml: lines are missing here: ";

}  // namespace kml::api
