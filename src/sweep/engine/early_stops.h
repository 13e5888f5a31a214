#pragma once

#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/stopping/stopping.h"
#include "sweep/engine/measurements.h"
#include "sweep/engine/sweep_decisions.h"
#include "sweep/engine/trial_ends.h"

namespace kml::sweep {

/// Judges running trials by their reports, and stops the worst of them.
class EarlyStops {
 public:
  /// The arguments must outlive this object.
  EarlyStops(const SweepState& state, const StopOptions& stops, SweepDecisions& decisions,
             Measurements& measurements, TrialEnds& ends)
      : state_(state), stops_(stops), decisions_(decisions), measurements_(measurements), ends_(ends) {}

  void take_metric(const Trial& trial, const TrialReport& report);

 private:
  void consider(const Trial& trial, double before, double resource);
  bool has_passed_rung(const Trial& trial, double before, double resource) const;
  void note_verdict(const Trial& trial, const Verdict& verdict);

  const SweepState& state_;
  const StopOptions& stops_;
  SweepDecisions& decisions_;
  Measurements& measurements_;
  TrialEnds& ends_;
};

}  // namespace kml::sweep
