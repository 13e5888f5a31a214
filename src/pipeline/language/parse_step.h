#pragma once

#include <string>

#include "kml/base/yaml.h"
#include "kml/job/render/problems.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Parses the mapping of a step. Does not check references to other steps and to parameters. `defaults` is
/// the pipeline's mapping with settings for all steps, or null.
Step parse_step(const yaml::Node& key, const yaml::Node& node, const yaml::Node& defaults,
                render::Problems& problems);

/// Checks the mapping with settings for all steps.
void check_defaults(const yaml::Node& defaults, render::Problems& problems);

}  // namespace kml::pipeline
