#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The paths below the code folder at which outputs are written (`outputs: {r: {path: report.txt}}`) by the
/// step itself, and by the steps for which it does not wait. Files at these paths are not code of the step.
/// Outputs of the steps for which it waits are code, because the step may read them.
std::vector<std::string> written_paths(const Pipeline& pipeline, const Step& step);

/// Whether the file is at one of the paths, or in a folder there.
bool is_written(const std::string& file, const std::vector<std::string>& paths);

}  // namespace kml::pipeline
