#pragma once

#include <string_view>

namespace kml::engine {

/// A sweep's trial logs each part of a TensorFlow event file as a line that starts with this mark. The rest
/// of the line is the bytes in base64, a space, and the file's path. Such lines are only for the engine; they
/// are not shown.
inline constexpr std::string_view kEventMark = "kml-events ";

}  // namespace kml::engine
