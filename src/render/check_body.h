#pragma once

#include <string>
#include <vector>

#include "kml/core/yaml.h"
#include "render/problems.h"

namespace kml::render {

/// Checks what can be known before any value is: that each placeholder names something, and that node forms
/// are complete. `names` are those known everywhere.
void check_body(const yaml::Node& body, std::vector<std::string> names, Problems& problems);

/// Whether some placeholder uses the name.
bool refers_to(const yaml::Node& body, const std::string& name);

}  // namespace kml::render
