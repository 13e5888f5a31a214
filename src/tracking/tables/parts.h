#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::ui {

/// A file in src/tracking/report that becomes part of a page, such as "style.css". embed.cmake generates the
/// definition.
std::string_view report_part(std::string_view file);

/// The parts that differ between single-file pages.
struct PageParts {
  std::string title;  ///< the title until the page's script changes it
  std::string style, body, script;
};

/// The page as one HTML file, which loads nothing from elsewhere, whatever the data contains. The script
/// finds the data in the element with the id "data".
std::string page_with(const PageParts& parts, const Json& data);

}  // namespace kml::ui
