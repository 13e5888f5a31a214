#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Reads `foreach: {seed: [1, 2, 3], model: train.models, parallel: 2}` from the file. Outputs of other steps
/// in it become inputs of the step.
void read_foreach(const yaml::Node& value, const std::string& path, Step& step, render::Problems& problems);

/// Whether some of the step's foreach values are outputs of other steps.
bool is_made_foreach(const Step& step);
/// Whether only the step's foreach uses the input.
bool is_for_foreach(const Input& input);

/// All combinations of the values. The values of the last name change fastest. `inputs` are the step's inputs
/// in the form that Engine uses.
std::vector<Json> foreach_items(const Step& step, const Json& params, const Json& inputs,
                                render::Problems& problems);

}  // namespace kml::pipeline
