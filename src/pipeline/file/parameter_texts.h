#pragma once

#include <vector>

#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/job/render/template.h"

namespace kml::pipeline {

/// The parameters that a pipeline declares. A number that would be printed differently, such as 3.10 or 007,
/// remains a text, because parameters are for command lines, where 3.10 may be a version and 007 a name.
/// Conditions treat such a text as a number.
std::vector<render::Parameter> parameters_of(const yaml::Node& declared, render::Problems& problems);

}  // namespace kml::pipeline
