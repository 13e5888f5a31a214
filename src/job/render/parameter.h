#pragma once

#include <string>
#include <string_view>

#include "kml/base/pattern.h"
#include "kml/job/render/template.h"

namespace kml::render {

/// Parses a parameter's value and checks only its type. Throws Error (usage) if it is not of the type.
Json parse_as(Type type, std::string_view text);

/// The same for a node in a template (`default`, `enum`, `min`).
Json parse_as(Type type, const yaml::Node& node, std::string_view file);

/// Why a value of the right type fails the parameter's checks; empty if it passes.
std::string check_value(const Parameter& parameter, const Json& value);

/// Matches only whole texts. Throws usage Error for an invalid expression.
Pattern whole_pattern(const std::string& expression);

}  // namespace kml::render
