#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/pipeline.h"
#include "kml/render/problems.h"

namespace kml::pipeline {

/// `foreach: {seed: [1, 2, 3], model: train.models, parallel: 2}`, where the file has it. What other steps
/// make becomes an input of the step.
void read_foreach(const yaml::Node& value, const std::string& path, Step& step, render::Problems& problems);

/// Whether other steps make some of what it is for.
bool is_made_foreach(const Step& step);
/// Whether the input is there for the step's foreach alone.
bool is_for_foreach(const Input& input);

/// Each value of each name with each of the others; the last name's change first. `inputs` are what Engine
/// has of the step's.
std::vector<Json> foreach_items(const Step& step, const Json& params, const Json& inputs,
                                render::Problems& problems);

}  // namespace kml::pipeline
