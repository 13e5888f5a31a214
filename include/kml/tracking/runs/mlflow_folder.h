#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/tracking/runs/metric_courses.h"

namespace kml::tracking {

/// The variables, as NAME=VALUE, that make MLflow's client in a job on this machine write files into a new
/// folder below state_folder()/tracking instead of sending data to a server. The client creates the folder.
std::vector<std::string> mlflow_folder_variables();

/// The folder that these variables name in the job. Empty if the job does not have these variables.
std::optional<std::filesystem::path> mlflow_folder_of(const Json& job);

/// Gives the jobs among the objects a new folder, because they still have the folder of an earlier run.
void renew_mlflow_folder(std::vector<Json>& objects);

/// The data that a program logged with MLflow. If it logged several runs that are not nested, later values
/// replace earlier ones with the same name.
struct MlflowLog {
  MetricCourses courses;
  std::map<std::string, std::string> params, tags;  ///< leaves out MLflow's own tags, "mlflow.…"
  std::vector<NestedLog> nested = {};
};

/// Reads the files of MLflow's file store (mlflow/store/tracking/file_store.py): EXPERIMENT/RUN/params/NAME,
/// tags/NAME, and metrics/NAME with lines "MS VALUE STEP", where NAME may contain "/". Follows no symbolic
/// links, and leaves out what it cannot read.
MlflowLog read_mlflow_folder(const std::filesystem::path& folder);

}  // namespace kml::tracking
