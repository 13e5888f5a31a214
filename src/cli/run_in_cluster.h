#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_engine.h"
#include "cli/run_session.h"
#include "kml/pipeline/run_state.h"

namespace kml::cli {

/// A pipeline's run whose engine runs in the cluster, in the target's namespace; never on this machine.
std::optional<ClusterEngine> find_cluster_run(Context& context, const std::string& name);
std::vector<ClusterEngine> cluster_runs(Context& context);

/// By its journal so far; of one whose engine has not started, that all of its steps wait.
pipeline::RunState state_of_run(Context& context, const ClusterEngine& run);

/// Throws usage Error if an engine in the cluster cannot run this pipeline.
void require_fit_for_cluster(const pipeline::Pipeline& pipeline);

/// Begins a run there. `record` is the first of its journal. Throws Error if it cannot run.
void run_in_cluster(Context& context, const PipelineHere& here, const Json& record,
                    const jobs::EngineOptions& options);

/// Continues it, and tries failed steps again. Throws Error if its engine runs.
void resume_in_cluster(Context& context, const ClusterEngine& run);
/// Where no engine runs, one is started to end the steps.
void stop_in_cluster(Context& context, const ClusterEngine& run);
/// Removes its jobs and all that it brought along. Throws Error if its engine runs.
void delete_in_cluster(Context& context, const ClusterEngine& run);

/// The keys of the document by which a run is handed to its engine.
struct RunDocument {
  static constexpr const char* kRecord = "record";      ///< the first of its journal
  static constexpr const char* kDefaults = "defaults";  ///< jobs::StepDefaults
  static constexpr const char* kFolder = "folder";      ///< in which kml was called
  static constexpr const char* kTrusted = "isTrusted";
  static constexpr const char* kProgram = "program";  ///< how its job is made: kinds, files, variables
  static constexpr const char* kResume = "resume";    ///< in the ConfigMap beside it: the last request
};

}  // namespace kml::cli
