#pragma once

#include <optional>
#include <string>

#include "engine/commands/cluster_engine.h"
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

}  // namespace kml::cli
