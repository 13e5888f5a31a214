#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/spec/setting.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/runner/claim_store.h"

namespace kml::pipeline {

struct StepRunnerOptions {
  std::string run;  ///< its name: the label of all its objects
  std::string id;   ///< its id: the submit-id of its own objects
  std::string namespace_name;
  bool is_local = false;                ///< whether steps run on the embedded server
  std::filesystem::path folder;         ///< the folder of the pipeline's file, where commands start
  std::vector<spec::Setting> defaults;  ///< settings from kml.yaml and the environment
  std::vector<std::filesystem::path> template_folders;
  bool defaults_are_copied = false;      ///< from another machine: the kml.yaml is not here
  std::optional<ClaimStore> store = {};  ///< on a cluster: where outputs are kept; sent here if unset
  /// --store s3://BUCKET. On the embedded server, outputs are also copied to it, and inputs come from it. On
  /// a cluster, kml-step copies both.
  S3Store* shared = nullptr;
  std::vector<std::string> target_flags = {};  ///< flags of kml itself, for a sweep: "--context=NAME"
  /// Throws Error (usage) if a step must not have these settings.
  std::function<void(const std::vector<spec::Setting>& settings)> check =
      [](const std::vector<spec::Setting>&) {};
  /// Called before a retry because the server did not respond.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
};

/// The job of a step as it is sent, and the objects to create before it: Secrets of its variables and its
/// code. Throws Error (usage) with all problems.
struct StepObjects {
  Json job;
  std::vector<Json> others;
};
StepObjects step_objects(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job);

/// Copies those inputs of a step that are on this machine to the options' store, as a step of
/// make_step_runner() does before its job starts. Returns the inputs with their places in the store. Throws
/// Error if the claim does not exist.
Json send_inputs(kube::Client& client, const StepRunnerOptions& options, const Pipeline& pipeline,
                 const StepJob& job);

/// Runs steps as jobs. Once a step has ended, its outputs are in `store`: on the embedded server the step
/// writes them there itself, on a cluster kml-step sends them. The arguments must outlive the result.
std::unique_ptr<StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                             const Pipeline& pipeline, const LocalStore& store,
                                             const job::Interrupt& interrupt);

}  // namespace kml::pipeline
