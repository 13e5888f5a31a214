#pragma once

#include <functional>
#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The value that a name in a step's condition stands for: "params.lr", or "train.loss". For a foreach step,
/// a list of the values of all items. Null for a value that was not made. `outputs_of` returns the outputs
/// that a step has made.
Json condition_value(const Pipeline& pipeline, const Json& params,
                     const std::function<const Json&(const Step&)>& outputs_of, const std::string& name);

}  // namespace kml::pipeline
