#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/commands/cluster_engine.h"
#include "kml/pipeline/engine/run_state.h"
#include "pipeline/commands/run_session.h"

namespace kml::cli {

/// Finds a pipeline run in the target's namespace whose engine runs in the cluster. Returns nothing if the
/// target is the embedded server.
std::optional<ClusterEngine> find_cluster_run(Context& context, const std::string& name);
std::vector<ClusterEngine> cluster_runs(Context& context);

/// The state of the run according to its journal. Before the engine has started, all steps are waiting.
pipeline::RunState state_of_run(Context& context, const ClusterEngine& run);

/// Throws usage Error if an engine in the cluster cannot run this pipeline.
void require_fit_for_cluster(const pipeline::Pipeline& pipeline);

/// The files and settings that the engine of a run gets from this machine.
struct RunToSend {
  Json document;              ///< the keys are those in RunDocument
  std::vector<Json> secrets;  ///< the Secrets that the program needs
  engine::EngineProgram program;
};

/// The document for a run with this program. Its steps create objects of these kinds. Throws usage Error if
/// the document is too large.
Json run_document(const PipelineHere& here, const pipeline::record::Run& record, const Json& inputs,
                  const std::vector<std::string>& kinds, const engine::EngineProgram& program);

/// The options for an engine in the cluster. If --store is a volume, `store` is its value, and the journal is
/// kept there too, unless a flag names a different volume. Throws usage Error if a flag is missing, or if the
/// volume is not a claim.
engine::EngineOptions run_engine_options(InClusterFlags flags, const std::string& store);

/// The kinds of the objects that the steps create, as in run_engine_program(). Prints a note if steps are
/// gangs, but the cluster cannot start gangs for this user.
std::vector<std::string> kinds_of_steps(Context& context, const PipelineHere& here, const Json& params);

/// `marks` are the marks of the run's objects. `record` is the first record of the journal. Throws usage
/// Error if the document is too large.
RunToSend run_to_send(Context& context, const PipelineHere& here, const engine::EngineMarks& marks,
                      const pipeline::record::Run& record);

/// The first record of the journal, read from the document. Throws Error if it is damaged.
pipeline::Record first_record_in(const Json& document);

/// Creates the ConfigMap for the run. The record in the document has the run's name.
ClusterEngine make_cluster_run(Context& context, const Json& document, const engine::EngineOptions& options);

/// Starts a run in the cluster. `record` is the first record of its journal. Throws Error if the run cannot
/// be started.
void run_in_cluster(Context& context, const PipelineHere& here, const pipeline::record::Run& record,
                    const engine::EngineOptions& options);

/// Continues the run and retries failed steps. Throws Error if its engine is running.
void resume_in_cluster(Context& context, const ClusterEngine& run);
/// Stops the run. If its engine is not running, starts an engine that ends the steps.
void stop_in_cluster(Context& context, const ClusterEngine& run);
/// Deletes the run's jobs, the jobs of its sweeps, and the objects of its engine. Its journal and its files
/// on the volume stay. Throws Error if its engine is running.
void delete_in_cluster(Context& context, const ClusterEngine& run);

/// The keys of the document that passes a run to its engine.
struct RunDocument {
  static constexpr const char* kRecord = "record";      ///< the first record of the run's journal
  static constexpr const char* kDefaults = "defaults";  ///< pipeline::StepDefaults
  static constexpr const char* kFolder = "folder";      ///< the current folder when kml was called
  static constexpr const char* kTrusted = "isTrusted";
  static constexpr const char* kInputs = "inputs";    ///< PipelineHere::outside_inputs()
  static constexpr const char* kProgram = "program";  ///< the parts of the engine's job
  static constexpr const char* kResume = "resume";    ///< a key in the ConfigMap: the last request to resume
};

}  // namespace kml::cli
