#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Parses a pipeline file, or a pipeline compiled for Kubeflow (see kfp/import.h). Throws a single usage
/// Error with the problems. In a pipeline file, each problem has its line and column. For an unknown name, it
/// suggests a similar one, if there is one. Problems are, for example, unknown fields, steps and outputs,
/// cycles, and outputs of the wrong kind.
Pipeline parse_pipeline(std::string_view text, const std::string& file);

/// A hint for an unknown word, such as "did you mean \"x\"?", or some of the known words; `none` if there are
/// none.
std::string hint(const std::string& word, const std::vector<std::string>& known, const std::string& none);

}  // namespace kml::pipeline
