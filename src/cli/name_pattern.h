#pragma once

#include <string>

namespace kml::cli {

/// Whether the text is a pattern for job names, such as "exp-*". A pattern contains *, ? or [; a name never
/// does.
bool is_name_pattern(const std::string& text);
/// Whether the name matches the pattern by the rules of a shell. Text that is not a pattern matches only
/// itself.
bool fits_pattern(const std::string& name, const std::string& pattern);

}  // namespace kml::cli
