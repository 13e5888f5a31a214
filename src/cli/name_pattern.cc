#include "cli/name_pattern.h"

#include <fnmatch.h>

namespace kml::cli {

bool is_name_pattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

bool fits_pattern(const std::string& name, const std::string& pattern) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace kml::cli
