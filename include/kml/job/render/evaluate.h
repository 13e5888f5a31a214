#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"

namespace kml::render {

/// The values of placeholders, by the first part of their names: `${in.train}` is the member "train" of the
/// value "in".
using Scope = std::map<std::string, Json>;

/// Fills in the placeholders in a body, and evaluates its node forms (see Template). The body must have
/// passed check_body(). Errors become problems with their positions. Null if an `$if` leaves out the whole
/// body.
Json evaluate(const yaml::Node& body, const Scope& scope, Problems& problems);

/// Checks a body without values: each placeholder must refer to a known name, and node forms must be
/// complete. `names` are the names that are known everywhere in the body, and `path` is where the body is in
/// the file.
void check_body(const yaml::Node& body, std::vector<std::string> names, Problems& problems,
                const std::string& path = "body");

/// Calls `take` for each placeholder, with its name and the scalar that contains it.
void each_placeholder(const yaml::Node& body,
                      const std::function<void(const std::string& name, const yaml::Node& scalar)>& take);

/// The text of a scalar for use in a longer text. Throws usage Error for null, lists and maps.
std::string embedded(const Json& value);

}  // namespace kml::render
