#pragma once

#include <optional>
#include <string>

#include "cli/cluster_engine.h"
#include "kml/pipeline/run_state.h"

namespace kml::cli {

/// A run of a pipeline, whoever runs it.
struct FoundRun {
  pipeline::RunState state;
  std::optional<ClusterEngine> there;  ///< of one whose engine runs in the cluster
};

/// One of this machine, else of the cluster. Throws usage Error if there is none of that name.
FoundRun find_run(Context& context, const std::string& name);

/// Of the cluster, unless this machine has a run of that name, which takes precedence. Throws usage Error if
/// neither has one.
std::optional<ClusterEngine> find_run_only_there(Context& context, const std::string& name);

/// Whether it has not ended, and no engine runs it.
bool is_left(Context& context, const FoundRun& run);

}  // namespace kml::cli
