#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracking/mlflow/mlflow_push.h"

namespace kml::tracking {

/// A file or folder that a run has made.
struct RunFile {
  std::string name;  ///< "train/model": its path in MLflow
  std::filesystem::path path;
  std::string digest;  ///< of its content
};

/// Sends files to MLflow as artifacts of the run that was pushed. The run there gets the tag
/// kml.artifact.NAME (see MlflowKeys) with the digest, so that a second push sends only what has changed.
/// Adds to `pushed.faults` what cannot be sent: files that cannot be read, that the server rejects, or over 1
/// GiB, and all of them if the server does not keep artifacts itself (`mlflow server --serve-artifacts`, the
/// default). Returns how many artifacts were sent completely. Throws Error if the server cannot be reached or
/// denies access.
size_t push_files(MlflowClient& client, PushedRun& pushed, const std::vector<RunFile>& files);

}  // namespace kml::tracking
