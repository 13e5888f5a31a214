#pragma once

#include <optional>
#include <string_view>

namespace kml::tracking {

/// The position of the bracket that opens the first printed object in the text, such as
/// "RandomForestClassifier(max_depth=3)", or "Adam (" at the end of a line. Such an object usually shows
/// settings. Leaves out objects whose name means results, such as "EvalResult(accuracy=0.9)".
std::optional<size_t> printed_object_in(std::string_view text);

/// The line without the frame of a box that rich, for example, draws around it.
std::string_view without_frame(std::string_view line);

/// Whether the line is the heading of a section in TOML or in an INI file: "[model]".
bool is_section_heading(std::string_view line);

}  // namespace kml::tracking
