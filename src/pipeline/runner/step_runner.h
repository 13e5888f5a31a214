#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
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
  std::string run;  ///< the run's name, which is a label on all its objects
  std::string id;   ///< the run's id, which is the submit-id of its own objects
  std::string namespace_name;
  bool is_local = false;         ///< whether the steps run on the embedded server
  std::filesystem::path folder;  ///< the folder of the pipeline file, in which commands start on this machine
  std::vector<spec::Setting> defaults;  ///< settings from kml.yaml and the environment
  std::vector<std::filesystem::path> template_folders;
  /// whether the defaults come from another machine, so that kml.yaml is not here
  bool defaults_are_copied = false;
  /// where outputs are kept on a cluster; if empty and without `shared`, they are sent to this machine
  std::optional<ClaimStore> store = {};
  /// The store of --store s3://BUCKET. On the embedded server, outputs are also copied to it, and inputs are
  /// fetched from it. On a cluster, kml-step copies both.
  S3Store* shared = nullptr;
  /// Set if kml records what steps on this machine read: a time at which kml had not yet read any of their
  /// code.
  std::optional<Time> records_since = {};
  /// kml's own flags for the target, for a sweep or a served model: "--context=NAME"
  std::vector<std::string> target_flags = {};
  /// Throws usage Error if a step must not have these settings.
  std::function<void(const std::vector<spec::Setting>& settings)> check =
      [](const std::vector<spec::Setting>&) {};
  /// Called before a request is repeated because the server did not respond or failed.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
  /// The data of a step, SOURCE:/path, with the version that this run uses.
  std::function<std::string(const std::string& data)> pinned_data = {};
  /// The cluster's nodes.
  std::function<std::vector<Json>()> nodes = [] { return std::vector<Json>(); };
};

/// The job of a step, ready to be sent, and the objects to create before it, such as the Secrets with its
/// variables and its code. Throws usage Error if the step cannot be submitted.
struct StepObjects {
  Json job;
  std::vector<Json> others;
  Json packages = {};  ///< see job::SubmitPlan
};
StepObjects step_objects(const StepRunnerOptions& options, const Pipeline& pipeline, const StepJob& job);

/// Copies the inputs of a step that are on this machine to the options' store, as a step of
/// make_step_runner() does before its job starts. Returns the inputs with their paths in the store. Throws
/// Error if the claim does not exist.
Json send_inputs(kube::Client& client, const StepRunnerOptions& options, const Pipeline& pipeline,
                 const StepJob& job);

/// Runs steps as jobs. On the embedded server, a step itself writes its outputs to `store`. On a cluster,
/// kml-step sends them there, unless the options name a claim or a bucket for them. The arguments must
/// outlive the result.
std::unique_ptr<StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                             const Pipeline& pipeline, const LocalStore& store,
                                             const job::Interrupt& interrupt);

}  // namespace kml::pipeline
