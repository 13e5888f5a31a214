#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/yaml.h"

namespace kml::yaml {

/// What a plain scalar means to go-yaml v2, which kubectl reads with (resolve.go): null, a truth or a number;
/// empty if it is a string.
std::optional<Json> resolve_plain(std::string_view text);

}  // namespace kml::yaml
