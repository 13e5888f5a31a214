#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/engine/measurements.h"
#include "sweep/engine/sweep_decisions.h"
#include "sweep/engine/trial_starts.h"

namespace kml::sweep {

/// Decides what the end of a trial's job means: a result, another attempt, a pause or a failure.
class TrialEnds {
 public:
  /// The outcome that a trial being stopped will have. Empty if the trial is withdrawn because the sweep
  /// ends.
  using WantedEnd = std::optional<Outcome>;

  /// The arguments must outlive this object.
  TrialEnds(const SweepState& state, const StopOptions& stops, SweepDecisions& decisions,
            Measurements& measurements, TrialStarts& starts)
      : state_(state), stops_(stops), decisions_(decisions), measurements_(measurements), starts_(starts) {}

  /// Sets the time when this engine started: it did not see jobs end before that.
  void set_begun(Time begun) { begun_ = begun; }
  /// See Engine::Hooks::counts_restarts.
  void count_restarts() { counts_restarts_ = true; }

  /// Call this when the job has ended.
  void take(const Trial& trial, const TrialReport& report);
  /// Call this when a task of an Indexed Job is retried.
  void take_retry(const Trial& trial, const TrialReport& report);
  /// Call this when the job's result is lost. Creates the job again with the same parameters, unless the
  /// trial is being stopped or has lost too many results.
  void take_loss(const Trial& trial, const std::string& cause, const TrialReport& report);
  void end_trial(const Trial& trial, Outcome outcome, std::string cause, const TrialReport& report);

  /// Stops the trial's job. If this was called before, the first outcome is kept.
  void end_early(const Trial& trial, WantedEnd end);
  bool is_ending(const Trial& trial) const { return ending_.contains(trial.number); }
  /// Withdraws a trial that has no job.
  void withdraw(const Trial& trial) { take_wanted_end(trial, std::nullopt, {}); }
  /// Ends the paused trials, because there will be no further promotion.
  void end_paused();

 private:
  void decide(SweepDecisions::What what, const TrialReport& report);
  void decide_failure(const Trial& trial, const std::string& cause, record::Failed::Fault fault,
                      const TrialReport& report);
  void take_failure(const Trial& trial, const TrialReport& report);
  void take_success(const Trial& trial, const TrialReport& report);
  void take_wanted_end(const Trial& trial, WantedEnd end, const TrialReport& report);
  void pause(const Trial& trial, double value, const TrialReport& report);

  const SweepState& state_;
  const StopOptions& stops_;
  SweepDecisions& decisions_;
  Measurements& measurements_;
  TrialStarts& starts_;
  Time begun_ = {};
  bool counts_restarts_ = false;
  std::map<std::uint64_t, WantedEnd> ending_;  ///< trials that are being stopped
};

}  // namespace kml::sweep
