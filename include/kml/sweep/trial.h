#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kml/sweep/space/space.h"

namespace kml::sweep {

enum class TrialState {
  running,
  paused,    ///< reached its rung and waits to be promoted
  complete,  ///< has an objective
  pruned,    ///< stopped early; only its curve is known
  diverged,  ///< NaN or infinity: ranked worst, never best
  failed,    ///< no result: infeasible (out of memory), a crash, no metric
};

/// (resource, metric) in rising order of resource: epochs or steps, and the value there.
using Curve = std::vector<std::pair<double, double>>;

/// A trial as samplers and stopping rules see it. Lower values are always better here, whatever the
/// objective's direction.
struct Observation {
  std::uint64_t trial = 0;  ///< its point never changes
  Point point = {};
  TrialState state = TrialState::running;
  std::optional<double> objective = {};  ///< a value that is not finite counts as diverged
  Curve curve = {};
  /// The resource up to which its job runs (ASHA with promotion); 0 if it runs to its end.
  double granted = 0;
};

/// The past, according to the journal.
struct History {
  /// In the order in which they ended or reached their first rung. A trial that was promoted from there is
  /// still here as paused, with its values so far, and not in `running`.
  std::span<const Observation> ended = {};
  std::span<const Observation> running = {};  ///< in the order of their numbers
};

}  // namespace kml::sweep
