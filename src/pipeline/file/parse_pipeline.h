#pragma once

#include <string>
#include <string_view>

#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// Parses a pipeline's file, or a compiled pipeline of Kubeflow (see kfp/import.h). Throws one Error (usage)
/// with every problem, its line and column, and the nearest name: unknown fields, steps and outputs, a cycle,
/// an output that no step makes, or a kind that does not match.
Pipeline parse_pipeline(std::string_view text, const std::string& file);

}  // namespace kml::pipeline
