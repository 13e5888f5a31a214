#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/yaml.h"

namespace kml::yaml {

/// The value of a plain scalar in go-yaml v2, which kubectl uses (resolve.go): null, a boolean or a number.
/// Empty if it is a string.
std::optional<Json> resolve_plain(std::string_view text);

}  // namespace kml::yaml
