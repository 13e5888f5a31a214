#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/sweep/engine/sweep_state.h"
#include "sweep/commands/sweep_in_cluster.h"

namespace kml::cli {

/// A row of `sweep list`.
struct SweepRow {
  std::string name, where, state;
  std::string fault = {};  ///< why the sweep cannot be read; empty if it can
  /// the engine's process on this machine; empty if none is running
  std::string engine = {};
  size_t ended = 0, planned = 0;
  std::string metric = {};
  std::optional<double> best = {};
  std::optional<size_t> front = {};  ///< if there are several objectives: how many trials are on the front
  Time begun = {};
};

/// The row of a sweep on this machine. `read`, if not null, receives its state.
SweepRow sweep_row(Context& context, const std::string& name, sweep::SweepState* read = nullptr);
/// The row of a sweep in the cluster. Throws Error if its journal cannot be read.
SweepRow sweep_row(Context& context, const ClusterSweep& sweep, sweep::SweepState* read = nullptr);

Json to_json(const SweepRow& row);

}  // namespace kml::cli
