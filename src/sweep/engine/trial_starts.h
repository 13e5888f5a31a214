#pragma once

#include <cstdint>
#include <vector>

#include "kml/base/clock.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/engine/measurements.h"
#include "sweep/engine/sweep_decisions.h"

namespace kml::sweep {

/// Starts the jobs of trials: one job per trial or, in an indexed sweep, one job for all trials of a wave.
class TrialStarts {
 public:
  /// The arguments must outlive this object.
  TrialStarts(const SweepState& state, const StopOptions& stops, SweepDecisions& decisions,
              Measurements& measurements)
      : state_(state), stops_(stops), decisions_(decisions), measurements_(measurements) {}

  /// Passes to the runner the jobs that an earlier engine started, and starts the jobs that it only proposed.
  void reattach();
  /// Whether another job can start now.
  bool has_room() const;
  /// `until` is the resource up to which the job runs; 0 means that it runs to its own end.
  void begin(const Trial& trial, int rung, int attempt, double until);
  void begin_first(const Trial& trial) { begin(trial, 0, 0, first_grant(trial)); }
  /// Starts the next attempt of the trial, with the same parameters.
  void begin_again(const Trial& trial) { begin(trial, trial.rung, trial.attempt, trial.until); }
  /// In an indexed sweep, starts a wave of the trials that were begun since the last call.
  void begin_wave();
  /// Returns the trials of the next wave, which will then not start.
  std::vector<std::uint64_t> withdraw_wave();

 private:
  double first_grant(const Trial& trial) const;
  void count();
  bool is_of_second(Time time) const;
  TrialJob job_of(const Trial& trial) const;
  std::vector<TrialJob> jobs_of(const Wave& wave) const;

  const SweepState& state_;
  const StopOptions& stops_;
  SweepDecisions& decisions_;
  Measurements& measurements_;
  std::vector<std::uint64_t> next_wave_;  ///< trials that will be started as one Job
  std::vector<size_t> waves_to_start_;
  Time second_ = {};  ///< the second to which begun_in_second_ refers
  int begun_in_second_ = 0;
};

}  // namespace kml::sweep
