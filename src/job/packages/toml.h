#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::packages {

/// The tables of a TOML 1.0 file as an object. Numbers, dates and booleans become texts, because kml only
/// uses strings, and lists and tables of strings. Throws usage Error with the position of the first fault;
/// `file` is its name in problems. `indent` is how many characters precede each line in that file.
Json read_toml(std::string_view text, const std::string& file, int indent = 0);

}  // namespace kml::packages
