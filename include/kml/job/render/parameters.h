#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/job/render/template.h"

namespace kml::render {

/// The parameters that a mapping declares (see Template). Rejects the names in `taken`, because the flags or
/// the command set those.
std::vector<Parameter> parse_parameters(const yaml::Node& list, const std::vector<std::string>& taken,
                                        const std::string& path, Problems& problems);

/// Adds a problem for each key in the mapping that is not in `known`, with the nearest known key.
void check_keys(const yaml::Node& mapping, const std::vector<std::string>& known, const std::string& path,
                Problems& problems);

/// Parses the value of a parameter. Throws usage Error if the text does not have the parameter's type, or
/// fails its checks.
Json value_of(const Parameter& parameter, std::string_view text);

}  // namespace kml::render
