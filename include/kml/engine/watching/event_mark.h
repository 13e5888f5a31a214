#pragma once

#include <string_view>

namespace kml::engine {

/// The mark of a line with a part of a TensorFlow event file, in the log of a sweep's trial: the mark, the
/// bytes in base64, a space, and the file's path. Such lines are only for the engine; they are not shown.
inline constexpr std::string_view kEventMark = "kml-events ";

}  // namespace kml::engine
