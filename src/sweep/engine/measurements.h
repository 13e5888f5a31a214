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

/// The values that running trials have reported, but that are not in the journal yet.
class Measurements {
 public:
  /// The arguments must outlive this object.
  Measurements(const SweepState& state, const StopOptions& stops) : state_(state), stops_(stops) {}

  void add(const Trial& trial, const TrialReport& report);
  void forget(std::uint64_t trial) { progress_.erase(trial); }
  /// The values that the trial has reported; null if it has reported none.
  const Progress* progress(std::uint64_t trial) const;

  /// The observation of the trial, including values reported since the last record.
  Observation observation(const Trial& trial) const;
  const std::vector<Observation>& all_observations();
  /// The trial, including what its last job has reported.
  Trial updated(Trial trial) const;
  /// The trial, including what its last job has reported, if its next job will continue from the last job's
  /// checkpoint.
  Trial so_far(const Trial& trial) const;
  /// The value that the strategy selects among the last job's values. If that job continued from the
  /// checkpoints of earlier jobs, the values of those jobs are included. It may be NaN or infinite if the
  /// trial diverged. Empty if there are no values.
  std::optional<double> value_of(const Trial& trial) const;

 private:
  bool keeps_checkpoints() const { return !state_.spec().checkpoint_folder.empty(); }

  const SweepState& state_;
  const StopOptions& stops_;
  std::map<std::uint64_t, Progress> progress_;  ///< the key is the number of a running trial
  std::vector<Observation>
      observations_;  ///< the observations in the order of trial numbers; updated when needed
};

}  // namespace kml::sweep
