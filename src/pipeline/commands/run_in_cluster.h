#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/commands/cluster_engine.h"
#include "kml/pipeline/engine/run_state.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Finds a pipeline run whose engine runs in the cluster, in the target's namespace. Returns nothing if the
/// target is this machine.
std::optional<ClusterEngine> find_cluster_run(Context& context, const std::string& name);
std::vector<ClusterEngine> cluster_runs(Context& context);

/// The run's state according to its journal. If the engine has not started, all steps are waiting.
pipeline::RunState state_of_run(Context& context, const ClusterEngine& run);

/// Throws usage Error if an engine in the cluster cannot run this pipeline.
void require_fit_for_cluster(const pipeline::Pipeline& pipeline);

/// The files and settings that the engine of a run gets from this machine.
struct RunToSend {
  Json document;              ///< with the keys of RunDocument
  std::vector<Json> secrets;  ///< for the program
  engine::EngineProgram program;
};

/// The document of a run with this program, whose steps create objects of these kinds. Throws usage Error if
/// it is too large.
Json run_document(const PipelineHere& here, const pipeline::record::Run& record, const Json& inputs,
                  const std::vector<std::string>& kinds, const engine::EngineProgram& program);

/// The options of an engine in the cluster. The volume of --store, `store`, also keeps the journal, unless a
/// flag names another volume. Throws usage Error if a flag is missing.
engine::EngineOptions run_engine_options(InClusterFlags flags, const std::string& store);

/// `marks` are those of the objects. `record` is the first record of the journal. Throws usage Error if it is
/// too large.
RunToSend run_to_send(const PipelineHere& here, const engine::EngineMarks& marks,
                      const pipeline::record::Run& record);

/// The first record of the journal, from the document. Throws Error if it is damaged.
pipeline::Record first_record_in(const Json& document);

/// Creates the ConfigMap of the run that the document's record names.
ClusterEngine make_cluster_run(Context& context, const Json& document, const engine::EngineOptions& options);

/// Starts a run in the cluster. `record` is the first record of its journal. Throws Error if it cannot run.
void run_in_cluster(Context& context, const PipelineHere& here, const pipeline::record::Run& record,
                    const engine::EngineOptions& options);

/// Continues the run and retries failed steps. Throws Error if its engine is running.
void resume_in_cluster(Context& context, const ClusterEngine& run);
/// Stops the run. If its engine is not running, starts one that ends the steps.
void stop_in_cluster(Context& context, const ClusterEngine& run);
/// Deletes the run's jobs and all other objects that it created. Throws Error if its engine is running.
void delete_in_cluster(Context& context, const ClusterEngine& run);

/// The keys of the document that hands a run to its engine.
struct RunDocument {
  static constexpr const char* kRecord = "record";      ///< the first record of its journal
  static constexpr const char* kDefaults = "defaults";  ///< pipeline::StepDefaults
  static constexpr const char* kFolder = "folder";      ///< the current folder of the kml call
  static constexpr const char* kTrusted = "isTrusted";
  static constexpr const char* kInputs = "inputs";    ///< PipelineHere::outside_inputs()
  static constexpr const char* kProgram = "program";  ///< parts of the engine's job
  static constexpr const char* kResume = "resume";    ///< key in the ConfigMap: the last request to resume
};

}  // namespace kml::cli
