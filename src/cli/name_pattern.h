#pragma once

#include <string>

namespace kml::cli {

/// Whether it is a pattern for names of jobs, such as "exp-*": no name contains *, ? or [.
bool is_name_pattern(const std::string& text);
/// Whether the name matches the pattern, as a shell matches file names. Text that is not a pattern matches
/// only itself.
bool fits_pattern(const std::string& name, const std::string& pattern);

}  // namespace kml::cli
