#include "tracking/commands/run_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/records/records.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"
#include "kml/tracking/runs/mlflow_folder.h"
#include "tracking/commands/tracked_runs.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

std::vector<tracking::RunFile> outputs_of(const pipeline::RunState& run, std::vector<std::string>& faults) {
  const pipeline::LocalStore store = pipeline::local_store();
  std::vector<tracking::RunFile> files;
  for (const pipeline::Artifact& artifact : pipeline::artifacts_of(run)) {
    if (!pipeline::is_tree(artifact.kind)) continue;
    const std::string path = string_at(artifact.made, {"path"}),
                      digest = string_at(artifact.made, {"digest"});
    pipeline::fetch_if_missing(artifact.made, store);
    if (pipeline::is_on_volume(artifact.made))
      faults.push_back(artifact.name.text() + " is not sent: it is " + path + " on a volume of the cluster");
    else if (fs::exists(fs::symlink_status(path)))
      files.push_back({artifact.name.step + "/" + artifact.name.output, path, digest});
    else
      faults.push_back(artifact.name.text() + " is not sent: its files are not on this machine");
  }
  return files;
}

/// The "artifacts" folders in MLflow's file store: EXPERIMENT/RUN/artifacts, and for models
/// EXPERIMENT/models/ID/artifacts.
std::vector<tracking::RunFile> logged_in(const fs::path& folder, std::vector<std::string>& faults) {
  constexpr int kDepthOfRuns = 2, kDepthOfModels = 3;
  const pipeline::LocalStore store = pipeline::local_store();
  std::vector<tracking::RunFile> files;
  const auto add = [&](const std::string& name, const fs::path& path) {
    try {
      files.push_back({name, path, store.digest_of(path)});
    } catch (const Error& error) {  // a link that leads out of the folder
      faults.push_back(name + " is not sent: " + message_and_why(error));
    }
  };
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (at.depth() == kDepthOfModels) at.disable_recursion_pending();
    if (at->path().filename() != "artifacts" || at.depth() < kDepthOfRuns || at->is_symlink()) continue;
    at.disable_recursion_pending();
    if (at.depth() == kDepthOfModels)
      add(at->path().parent_path().filename(), at->path());
    else
      for (const auto& entry : fs::directory_iterator(at->path(), ignored))
        add(entry.path().filename(), entry.path());
  }
  return files;
}

std::vector<tracking::RunFile> logged_by(const std::string& run_id, std::vector<std::string>& faults) {
  std::vector<tracking::RunFile> files;
  for (const job::Submission& run : job::Submissions::of_user().read())
    if (run.id == run_id)
      for (const Json* job : run.jobs())
        if (const auto folder = tracking::mlflow_folder_of(*job))
          for (tracking::RunFile& file : logged_in(*folder, faults)) files.push_back(std::move(file));
  return files;
}

}  // namespace

std::vector<tracking::RunFile> files_of(const tracking::TrackedRun& run, std::vector<std::string>& faults) {
  if (run.kind == "pipeline") return outputs_of(pipeline_of_run(run), faults);
  return run.kind == "job" ? logged_by(run.id, faults) : std::vector<tracking::RunFile>();
}

}  // namespace kml::cli
