#pragma once

#include <string>

#include "kml/base/yaml.h"
#include "kml/job/render/evaluate.h"

namespace kml::render {

/// Whether any placeholder uses the name.
bool refers_to(const yaml::Node& body, const std::string& name);

}  // namespace kml::render
