#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::packages {

/// The tables of a TOML 1.0 file as an object, in which dates are texts. Throws usage Error with the position
/// of the first fault; `file` is its name in problems. `indent` is how many characters precede each line in
/// that file.
Json read_toml(std::string_view text, const std::string& file, int indent = 0);

/// The object as TOML, each of its keys in one line.
std::string toml_text(const Json& table);

}  // namespace kml::packages
