#pragma once

#include <string>
#include <vector>

#include "kml/tracking/runs/tracked_run.h"
#include "tracking/mlflow/mlflow_files.h"

namespace kml::cli {

/// The files that a run has made, for MLflow: the outputs of pipeline steps, and the files that a job logged
/// with `--track mlflow`. Downloads files that are only in a bucket. Adds the files that cannot be sent to
/// `faults`.
std::vector<tracking::RunFile> files_of(const tracking::TrackedRun& run, std::vector<std::string>& faults);

}  // namespace kml::cli
