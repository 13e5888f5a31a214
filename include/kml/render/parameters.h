#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/yaml.h"
#include "kml/render/problems.h"
#include "kml/render/template.h"

namespace kml::render {

/// The parameters that a mapping declares (see Template). Names in `taken` are refused, as set by flags.
std::vector<Parameter> parse_parameters(const yaml::Node& list, const std::vector<std::string>& taken,
                                        const std::string& path, Problems& problems);

/// Adds a problem for each key of the mapping that is not one of `known`, with the nearest one.
void check_keys(const yaml::Node& mapping, const std::vector<std::string>& known, const std::string& path,
                Problems& problems);

/// A parameter's value from its text. Throws Error (usage) if it is not of the type, or the parameter's
/// checks refuse it.
Json value_of(const Parameter& parameter, std::string_view text);

}  // namespace kml::render
