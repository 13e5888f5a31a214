#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/yaml.h"

namespace kml::yaml {

/// What a plain scalar means to go-yaml v2, which kubectl reads with (resolve.go): null, a truth or a number;
/// empty where it is a string.
std::optional<Json> resolve_plain(std::string_view text);

/// A mapping's key as JSON has it. As for kubectl, null is no key: the tree has none.
std::string key_text(const Node& key, std::string_view source);

}  // namespace kml::yaml
