#pragma once

#include <string>
#include <vector>

#include "kml/tracking/runs/tracked_run.h"
#include "tracking/mlflow/mlflow_files.h"

namespace kml::cli {

/// The files that a run has made, for MLflow: outputs of the steps of a pipeline, and what a job logged with
/// `--track mlflow`. Fetches those that are only in a bucket. Adds to `faults` those that are not there.
std::vector<tracking::RunFile> files_of(const tracking::TrackedRun& run, std::vector<std::string>& faults);

}  // namespace kml::cli
