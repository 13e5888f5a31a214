#pragma once

#include <string>

#include "kml/core/yaml.h"
#include "kml/pipeline/pipeline.h"
#include "kml/render/problems.h"

namespace kml::pipeline {

/// A step as its mapping has it; what other steps and parameters there are is not asked. `defaults` is the
/// pipeline's mapping of settings for all steps, or null.
Step parse_step(const yaml::Node& key, const yaml::Node& node, const yaml::Node& defaults,
                render::Problems& problems);

/// Checks the mapping of settings for all steps.
void check_defaults(const yaml::Node& defaults, render::Problems& problems);

}  // namespace kml::pipeline
