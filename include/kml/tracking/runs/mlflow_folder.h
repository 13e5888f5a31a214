#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/tracking/runs/metric_courses.h"

namespace kml::tracking {

/// The variables, as NAME=VALUE, with which MLflow's client in a job on this machine writes files into a new
/// folder below state_folder()/tracking instead of talking to a server. The client creates the folder.
std::vector<std::string> mlflow_folder_variables();

/// The folder that these variables name in the job; nothing if it does not have them.
std::optional<std::filesystem::path> mlflow_folder_of(const Json& job);

/// Gives the jobs among the objects a new folder, instead of the earlier run's.
void renew_mlflow_folder(std::vector<Json>& objects);

/// The data that a program logged with MLflow. If it made several runs there, a later one replaces values
/// with the same name.
struct MlflowLog {
  MetricCourses courses;
  std::map<std::string, std::string> params, tags;  ///< without MLflow's own tags, "mlflow.…"
  std::vector<NestedLog> nested = {};
};

/// Reads the files of MLflow's file store (mlflow/store/tracking/file_store.py): EXPERIMENT/RUN/params/NAME,
/// tags/NAME, and metrics/NAME with lines "MS VALUE STEP", where NAME may contain "/". Follows no symbolic
/// links, and leaves out what it cannot read.
MlflowLog read_mlflow_folder(const std::filesystem::path& folder);

}  // namespace kml::tracking
