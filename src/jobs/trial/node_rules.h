#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::jobs {

/// Why the node takes no such pod, however empty it is ("is cordoned", "has taint gpu"); empty where it does.
std::string refusal_of_node(const Json& node, const Json& pod_spec);

}  // namespace kml::jobs
