#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kml/sweep/space/space.h"

namespace kml::sweep {

enum class TrialState {
  running,
  paused,    ///< reached its rung and waits to be promoted
  complete,  ///< has an objective
  pruned,    ///< stopped early; only its curve is known
  diverged,  ///< its value is NaN or infinite: ranked last, never best
  failed,    ///< without a result: out of memory, a crash, no metric
};

/// Pairs of (resource, metric), in increasing order of the resource: epochs or steps, and the value at each.
using Curve = std::vector<std::pair<double, double>>;

/// The metrics whose last value is NaN or infinite: its resource and that value.
using Diverged = std::map<std::string, std::pair<double, double>>;

/// In population-based training: the member of the population whose training a trial continues, and the trial
/// from whose checkpoint it starts; no parent for the first trials of the members.
struct Lineage {
  std::uint64_t member = 0;
  std::optional<std::uint64_t> parent = {};
  bool operator==(const Lineage&) const = default;
};

/// A trial as samplers and stopping rules see it. Lower values are always better here, whatever the direction
/// of the objective.
struct Observation {
  std::uint64_t trial = 0;  ///< its point never changes
  Point point = {};
  TrialState state = TrialState::running;
  std::optional<double> objective = {};  ///< a value that is not finite means that the trial diverged
  std::vector<double> further = {};      ///< the values of the objectives after the first; empty without all
  Curve curve = {};
  /// The resource up to which its job may run (ASHA with promotion); 0 if it may run to its end.
  double granted = 0;
  std::optional<Lineage> lineage = {};
};

/// The earlier trials, according to the journal.
struct History {
  /// In the order in which they ended or reached their first rung. A trial that was promoted remains here as
  /// paused, with its values so far, and is not in `running`.
  std::span<const Observation> ended = {};
  std::span<const Observation> running = {};  ///< in the order of trial numbers
};

}  // namespace kml::sweep
