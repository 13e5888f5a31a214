#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/yaml.h"
#include "kml/render/problems.h"

namespace kml::render {

/// What placeholders stand for, by the first part of their names: `${in.train}` is "train" of "in".
using Scope = std::map<std::string, Json>;

/// A body with its placeholders filled in and its node forms carried out (see Template); it has passed
/// check_body(). What does not fit becomes a problem, at its place. Null where an `$if` leaves all of it out.
Json evaluate(const yaml::Node& body, const Scope& scope, Problems& problems);

/// Checks what can be known before any value is: that each placeholder names something, and that node forms
/// are complete. `names` are those known everywhere, `path` is where the body stands.
void check_body(const yaml::Node& body, std::vector<std::string> names, Problems& problems,
                const std::string& path = "body");

/// Calls `take` with the name in each placeholder, and the scalar that it is in.
void each_placeholder(const yaml::Node& body,
                      const std::function<void(const std::string& name, const yaml::Node& scalar)>& take);

/// The scalar's text as it is where a value stands inside a text. Throws Error (usage) for null, lists and
/// maps.
std::string embedded(const Json& value);

}  // namespace kml::render
