#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::tracking {

/// MLflow's file store fails if the name of one metric is the folder of another, as with val and val/acc.
/// Lets the jobs that have the folder of mlflow_folder_variables() log such names: puts a module for MLflow's
/// client into a folder below state_folder(), and puts this folder at the front of the PYTHONPATH of these
/// jobs. `python_path` is the PYTHONPATH that the jobs would have otherwise, unless they set their own.
void add_mlflow_names(std::vector<Json>& objects, const std::string& python_path);

/// The original names of the values that the module has stored under other names, by file. `folder` is the
/// folder of one kind of values: RUN/metrics.
std::map<std::string, std::string> mlflow_names_in(const std::filesystem::path& folder);

}  // namespace kml::tracking
