#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/sweep/engine/sweep_state.h"
#include "sweep/engine/measurements.h"

namespace kml::sweep {

/// Reasons for ending a sweep before all trials are done. A text is empty if its reason does not apply.

bool has_reached_goal(const SweepState& state);

/// More trials have failed than the sweep allows.
std::string too_many_failures(const SweepState& state);

/// All trials seem to fail, so no more trials start. Running trials continue, because one of them may still
/// succeed.
std::string reason_to_hold(const SweepState& state, const Measurements& measurements);

/// A budget is used up, so no more trials may start.
std::string used_up(const SweepState& state, Time now);

}  // namespace kml::sweep
