#pragma once

#include <string>
#include <string_view>

#include "kml/core/pattern.h"
#include "kml/render/template.h"

namespace kml::render {

/// A parameter's value from its text; only the type counts. Throws Error (usage) if it is not of the type.
Json parse_as(Type type, std::string_view text);

/// The same from a template's own node (`default`, `enum`, `min`).
Json parse_as(Type type, const yaml::Node& node, std::string_view file);

/// What the parameter's checks say against a value of its type; empty if they agree.
std::string check_value(const Parameter& parameter, const Json& value);

/// Matches whole texts only. Throws usage Error if that is not a regular expression.
Pattern whole_pattern(const std::string& expression);

}  // namespace kml::render
