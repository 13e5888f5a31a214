#pragma once

#include <map>
#include <string>

#include "kml/core/json.h"
#include "kml/core/yaml.h"
#include "render/problems.h"

namespace kml::render {

using Scope = std::map<std::string, Json>;

/// A template's body with its placeholders filled in and its node forms carried out; the body has passed
/// check_body(). What does not fit becomes a problem, at its place.
Json evaluate(const yaml::Node& body, const Scope& scope, Problems& problems);

}  // namespace kml::render
