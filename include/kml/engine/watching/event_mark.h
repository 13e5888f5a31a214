#pragma once

#include <string_view>

namespace kml::engine {

/// A part of a TensorFlow event file in the log of a sweep's trial: the mark, the bytes in base64, a space,
/// and the file's path. Such lines are for the engine, and no log shows them.
inline constexpr std::string_view kEventMark = "kml-events ";

}  // namespace kml::engine
