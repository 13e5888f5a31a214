#pragma once

#include <string_view>

namespace kml::ui {

/// A file in src/ui/report that becomes part of the page, such as "style.css". embed.cmake generates the
/// definition.
std::string_view report_part(std::string_view file);

}  // namespace kml::ui
