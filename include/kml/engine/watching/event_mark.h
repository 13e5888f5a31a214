#pragma once

#include <string_view>

namespace kml::engine {

/// The start of a line in the log of a sweep's trial that contains a part of a TensorFlow event file. The
/// rest of the line is the bytes in base64, a space, and the file's path. Such lines are only for the engine;
/// they are not shown.
inline constexpr std::string_view kEventMark = "kml-events ";

}  // namespace kml::engine
