#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/engine/measurements.h"
#include "sweep/engine/proposals.h"
#include "sweep/engine/sweep_decisions.h"
#include "sweep/engine/trial_starts.h"

namespace kml::sweep {

/// Chooses the trial whose job starts next: a withdrawn trial, a promoted one, or a new one.
class NextTrials {
 public:
  /// The arguments must outlive this object.
  NextTrials(const SweepState& state, const StopOptions& stops, SweepDecisions& decisions,
             Measurements& measurements, TrialStarts& starts);

  /// Whether another trial may start now.
  bool has_turn() const { return starts_.has_room() && proposals_.is_ready(); }
  /// Starts a trial, or finds out that the space has no more points. Returns false if no trial can start now.
  bool begin();
  /// Why the sweep ends. Call this after begin() has returned false. Empty if results of running trials may
  /// still lead to promotions.
  std::optional<record::End> end() const;

 private:
  bool begin_withdrawn();
  bool promote();
  bool promote_leader();
  void ask();
  /// Whether results of running trials may lead to promotions.
  bool awaits_results() const { return state_.spec().stopping.promote && !state_.lists().running.empty(); }

  const SweepState& state_;
  const StopOptions& stops_;
  SweepDecisions& decisions_;
  Measurements& measurements_;
  TrialStarts& starts_;
  Proposals proposals_;
  bool is_exhausted_ = false;             ///< whether the sampler has no more points
  std::vector<std::uint64_t> withdrawn_;  ///< trials to restart; the last one is next
};

}  // namespace kml::sweep
