#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/sweep/engine/sweep_state.h"
#include "sweep/engine/measurements.h"

namespace kml::sweep {

/// Why a sweep ends before all trials are done. The texts are empty if that reason does not exist.

bool has_reached_goal(const SweepState& state);

/// More trials failed than the sweep allows.
std::string too_many_failures(const SweepState& state);

/// All trials seem to fail, so no more start now. Running trials continue, because one of them may still
/// succeed.
std::string reason_to_hold(const SweepState& state, const Measurements& measurements);

/// A budget is used up, so no more trials may start.
std::string used_up(const SweepState& state, Time now);

}  // namespace kml::sweep
