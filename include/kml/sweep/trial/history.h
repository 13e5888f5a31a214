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
  paused,    ///< the trial has reached its rung and waits to be promoted
  complete,  ///< the trial has a value of the objective
  pruned,    ///< the trial was stopped early; only its curve is known
  diverged,  ///< the trial's value is NaN or infinite; it is ranked last and is never the best
  failed,    ///< the trial has no result, for example because it crashed or reported no metric
};

/// Pairs of a resource and a metric's value, in increasing order of the resource, which counts epochs or
/// steps.
using Curve = std::vector<std::pair<double, double>>;

/// The metrics whose last value is NaN or infinite. Each has the resource at which it was reported, and the
/// value.
using Diverged = std::map<std::string, std::pair<double, double>>;

/// In population-based training, the member of the population whose training a trial continues, and the trial
/// from whose checkpoint it starts. A trial that starts from the beginning has no parent.
struct Lineage {
  std::uint64_t member = 0;
  std::optional<std::uint64_t> parent = {};
  bool operator==(const Lineage&) const = default;
};

/// A trial in the form that samplers and stopping rules use. Lower values are always better here, even if the
/// objective is maximized.
struct Observation {
  std::uint64_t trial = 0;  ///< the point of a trial never changes
  Point point = {};
  TrialState state = TrialState::running;
  std::optional<double> objective = {};  ///< a value that is not finite means that the trial diverged
  /// the values of all objectives but the first; empty if one of them is missing
  std::vector<double> further = {};
  Curve curve = {};
  /// The resource up to which the trial's job may run (ASHA with promotion); 0 if it may run to the end.
  double granted = 0;
  std::optional<Lineage> lineage = {};
};

/// The earlier trials according to the journal.
struct History {
  /// The trials in the order in which they ended or reached their first rung; in a deterministic sweep, in
  /// the order of their numbers. A trial that continues after a rung stays here as paused, with its values so
  /// far, and is not in `running`.
  std::span<const Observation> ended = {};
  std::span<const Observation> running = {};  ///< the other trials that have not ended, sorted by number
};

}  // namespace kml::sweep
