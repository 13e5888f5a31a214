#pragma once

#include <vector>

#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/job/render/template.h"

namespace kml::pipeline {

/// The parameters that a pipeline declares. A number keeps its text if it would be printed differently,
/// because it is for command lines: 3.10 is a version, 007 a name. Conditions treat such a text as a number.
std::vector<render::Parameter> parameters_of(const yaml::Node& declared, render::Problems& problems);

}  // namespace kml::pipeline
