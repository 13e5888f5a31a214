#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kml/sweep/engine/progress.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// The reports of running trials that are not in the journal yet.
class Measurements {
 public:
  /// The arguments must outlive this object.
  Measurements(const SweepState& state, const StopOptions& stops) : state_(state), stops_(stops) {}

  void add(const Trial& trial, const TrialReport& report);
  void forget(std::uint64_t trial) { progress_.erase(trial); }
  /// Null if it has reported nothing.
  const Progress* progress(std::uint64_t trial) const;

  /// The trial's observation, including the values reported since the last record.
  Observation observation(const Trial& trial) const;
  const std::vector<Observation>& all_observations();
  /// The trial, including what its last job reported.
  Trial updated(Trial trial) const;
  /// The trial, including what its last job reported if the next job continues from its checkpoint.
  Trial so_far(const Trial& trial) const;
  /// The value that the strategy chooses among the values of the last job, and of the earlier jobs if it
  /// continued from their checkpoints; NaN if the trial diverged.
  std::optional<double> value_of(const Trial& trial) const;

 private:
  bool keeps_checkpoints() const { return !state_.spec().checkpoint_folder.empty(); }

  const SweepState& state_;
  const StopOptions& stops_;
  std::map<std::uint64_t, Progress> progress_;  ///< of running trials
  std::vector<Observation> observations_;       ///< of all trials; updated when needed
};

}  // namespace kml::sweep
