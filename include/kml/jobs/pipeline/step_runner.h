#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/jobs/pipeline/claim_store.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"
#include "kml/pipeline/engine.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/shared_store.h"
#include "kml/pipeline/store.h"
#include "kml/spec/setting.h"

namespace kml::jobs {

struct StepRunnerOptions {
  std::string run;  ///< its name: the label of all its objects
  std::string id;   ///< objects that carry it as their submit-id are its own
  std::string namespace_name;
  bool is_local = false;                ///< on the embedded server
  std::filesystem::path folder;         ///< of the pipeline's file: commands start there
  std::vector<spec::Setting> defaults;  ///< of kml.yaml and the environment
  std::vector<std::filesystem::path> template_folders;
  std::optional<ClaimStore> store = {};  ///< on a cluster: where outputs stay, which are sent here otherwise
  pipeline::SharedStore* shared =
      nullptr;  ///< on the embedded server: where outputs also go, and inputs come from
  std::vector<std::string> target_flags = {};  ///< of kml itself, for a sweep: "--context=NAME"
  /// Throws Error (usage) if a step may not have these settings.
  std::function<void(const std::vector<spec::Setting>& settings)> check =
      [](const std::vector<spec::Setting>&) {};
  /// Called when the server gave no answer, and will be asked again.
  std::function<void(const Error&)> on_retry = [](const Error&) {};
};

/// A step's job as it is sent, and before it what it needs: Secrets of its variables and its code. Throws
/// Error (usage) with every problem.
struct StepObjects {
  Json job;
  std::vector<Json> others;
};
StepObjects step_objects(const StepRunnerOptions& options, const pipeline::Pipeline& pipeline,
                         const pipeline::StepJob& job);

/// Steps as jobs. What they make is in `store` once they have ended: on the embedded server they put it there
/// themselves, on a cluster kml-step sends it. What is referred to must outlive the result.
std::unique_ptr<pipeline::StepRunner> make_step_runner(kube::Client& client, StepRunnerOptions options,
                                                       const pipeline::Pipeline& pipeline,
                                                       const pipeline::LocalStore& store,
                                                       const Interrupt& interrupt);

}  // namespace kml::jobs
