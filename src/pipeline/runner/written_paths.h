#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// The paths below the code folder at which commands write outputs, `outputs: {r: {path: report.txt}}`: those
/// of the step, and of all steps that it does not wait for. The files there are not code of the step. The
/// outputs of the other steps count as code, because the step may read them.
std::vector<std::string> written_paths(const Pipeline& pipeline, const Step& step);

/// Whether the file is at one of the paths, or in a folder there.
bool is_written(const std::string& file, const std::vector<std::string>& paths);

}  // namespace kml::pipeline
