#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracking/mlflow/mlflow_push.h"

namespace kml::tracking {

/// A file or folder that a run has made.
struct RunFile {
  std::string name;  ///< the path in MLflow, such as "train/model"
  std::filesystem::path path;
  std::string digest;  ///< the digest of the content
};

struct SentFiles {
  size_t artifacts = 0;           ///< how many artifacts were sent completely
  size_t files = 0, refused = 0;  ///< how many files of all artifacts were sent, and how many were rejected
};

/// Sends files to MLflow as artifacts of the run that was pushed. The MLflow run gets the tag
/// kml.artifact.NAME (see MlflowKeys) with the digest, so that a second push only sends what has changed.
/// Adds to `pushed.faults` the files that cannot be sent: files that cannot be read, that the server rejects,
/// or that are larger than 1 GiB. If the server does not store artifacts itself, sends none, and adds one
/// message for all. By default, servers do so (`mlflow server --serve-artifacts`). Throws Error if the server
/// is unreachable or denies access.
SentFiles push_files(MlflowClient& client, PushedRun& pushed, const std::vector<RunFile>& files);

}  // namespace kml::tracking
