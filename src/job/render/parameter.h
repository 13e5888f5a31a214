#pragma once

#include <string>
#include <string_view>

#include "kml/base/pattern.h"
#include "kml/job/render/template.h"

namespace kml::render {

/// Parses a parameter's value, and checks only its type. Throws usage Error if the value has a different
/// type.
Json parse_as(Type type, std::string_view text);

/// Like parse_as(), for a node in a template (`default`, `enum` or `min`).
Json parse_as(Type type, const yaml::Node& node, std::string_view file);

/// Why a value of the right type fails the parameter's checks; empty if it passes them.
std::string check_value(const Parameter& parameter, const Json& value);

/// A pattern that only matches whole texts. Throws usage Error for an invalid expression.
Pattern whole_pattern(const std::string& expression);

}  // namespace kml::render
