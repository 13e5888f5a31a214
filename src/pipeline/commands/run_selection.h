#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/commands/cluster_engine.h"
#include "kml/base/error.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::cli {

/// A pipeline run. Its engine is on this machine or in the cluster.
struct FoundRun {
  pipeline::RunState state;
  std::optional<ClusterEngine> there;  ///< the run's engine, if that runs in the cluster
};

/// Whether this machine has the run, and the command may show it; see Context::shows().
bool is_shown_run(Context& context, const std::string& name);

/// Searches for the run on this machine, then in the cluster. Throws usage Error if neither has it.
FoundRun find_run(Context& context, const std::string& name);

/// Searches for the run in the cluster. Returns nothing if this machine has a run with that name, because
/// that run is preferred. Throws usage Error if neither this machine nor the cluster has such a run.
std::optional<ClusterEngine> find_run_only_there(Context& context, const std::string& name);

/// The command that does the same work as the run, in a new run: `kml run FILE` with its parameters, or
/// `kml rerun RUN` for the run of a submit with artifacts, which has no file.
std::string command_to_repeat(const pipeline::RunState& run);

/// Whether the run has not ended, but has no engine.
bool is_left(Context& context, const FoundRun& run);

/// Whether an engine is executing the run. Call this before update(), because an engine may end after writing
/// its last record.
bool has_engine(Context& context, const FoundRun& run);
/// Reads the state again.
void update(Context& context, FoundRun& run);
/// How long to wait between two updates. In the cluster, the engine's pod updates the copy of its journal
/// every two seconds.
std::chrono::milliseconds pause_between_updates(const FoundRun& run);
/// The Error for a run that will not continue by itself.
Error without_engine(const FoundRun& run);

}  // namespace kml::cli
