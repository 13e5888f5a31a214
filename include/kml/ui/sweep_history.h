#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/sweep/journal/sweep_state.h"

namespace kml::ui {

/// The best value after each trial that ended, from the first complete one on.
std::vector<double> best_so_far(const sweep::SweepState& state);

/// How many trials there will be: the budget, or all of a smaller space.
std::uint64_t planned_trials(const sweep::SweepState& state);

/// The resources at which early stopping compares trials; empty where it knows no rungs.
std::vector<double> rungs_of(const sweep::Stopping& stopping);
/// "rungs of epoch: 1 (20 trials), 3 (9)": how many got how far. Empty without rungs.
std::string rungs_in_words(const sweep::SweepState& state);

/// "rungs of epoch: 1, 4, 16 (62 trials)": a line for each ladder, and how many trials will begin on it.
std::vector<std::string> rung_plan(const sweep::SweepSpec& spec);

/// How long the sweep will go on, as fast as it went so far: to its last trial, or the end of its time. Empty
/// before the first trials have ended, and where it is over.
std::optional<nanoseconds> time_left(const sweep::SweepState& state, Time now);

}  // namespace kml::ui
