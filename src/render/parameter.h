#pragma once

#include <string>
#include <string_view>

#include "kml/render/template.h"

namespace kml::render {

/// A parameter's value from its text; only the type counts. Throws Error (usage) where it is not of the type.
Json parse_as(Type type, std::string_view text);

/// The same from a template's own node (`default`, `enum`, `min`).
Json parse_as(Type type, const yaml::Node& node, std::string_view file);

/// What the parameter's checks say against a value of its type; empty where they agree.
std::string check_value(const Parameter& parameter, const Json& value);

}  // namespace kml::render
