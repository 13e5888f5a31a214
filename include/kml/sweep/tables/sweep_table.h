#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/streams.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/engine/sweep_state.h"

namespace kml::ui {

/// One line about a sweep's progress: trials, best value, remaining budget.
std::string sweep_summary(const sweep::SweepState& state, Time now);

/// The part of its budget that a finished sweep did not use, or, if the budget was the default, the untried
/// points of its space. Empty if it used everything.
std::string untried_in_words(const sweep::SweepState& state);

/// Why trials wait, by trial number.
using Waits = std::map<std::uint64_t, std::string>;

/// "waiting: 3 for not enough GPUs free on 6 nodes, 1 for quota ...": the most frequent causes. Empty if none
/// is known.
std::string waits_in_words(const Waits& waits);

/// Prints up to `most` trials (0: all) as a table, the best first. `engine`, if not null, adds the values
/// that running trials have reported.
void print_trials(const Streams& streams, const sweep::SweepState& state, const sweep::Engine* engine,
                  const Waits& waits, size_t most, bool with_header, Time now);

/// "accuracy=0.97 loss=0.1": the objective and the additional metrics, as far as the trial reported them.
std::string values_in_words(const sweep::SweepSpec& spec, const sweep::Trial& trial);

/// With several objectives: the trials on the Pareto front, by their value of the first objective.
std::vector<const sweep::Trial*> front_of(const sweep::SweepState& state);
/// "5 trials on the front of accuracy, latency".
std::string front_in_words(const sweep::SweepState& state);
/// The front as a table: values and parameters.
void print_front(const Streams& streams, const sweep::SweepState& state);
/// The front as a list of {trial, metrics, parameters, job}.
Json front_to_json(const sweep::SweepState& state);
/// [{metric, maximize}].
Json objectives_to_json(const sweep::SweepSpec& spec);

/// "lr=0.013 batch=64", in the order of the space.
std::string in_words(const sweep::SweepSpec& spec, const Json& values);

/// The first line of a cause, without words that announce further lines ("; its last lines:").
std::string in_a_line(std::string_view cause);

/// A parameter's value: a text without quotes, or a number with as many digits as it needs.
std::string value_text(const Json& value);

/// A trial's state: "waiting", "running", "paused", "complete", "pruned", "failed", …
std::string state_text(const sweep::Trial& trial);

/// Prints CSV (RFC 4180), one line per trial: number, state, value, times, parameters, additional metrics.
void print_csv(const Streams& streams, const sweep::SweepState& state);
/// Prints one JSON object per trial.
void print_jsonl(const Streams& streams, const sweep::SweepState& state);
/// The sweep with all its trials.
Json to_json(const sweep::SweepState& state);

/// The best value so far after each ended trial, starting with the first complete one. Empty with several
/// objectives.
std::vector<double> best_so_far(const sweep::SweepState& state);

/// The planned number of trials: the budget's, or all points of a smaller space.
std::uint64_t planned_trials(const sweep::SweepState& state);

/// The resources at which early stopping compares trials; empty if it has no rungs.
std::vector<double> rungs_of(const sweep::Stopping& stopping);

/// "bracket 0: rungs of epoch: 1, 4, 16 (62 trials)": a line for each bracket, with the number of trials that
/// will start in it.
std::vector<std::string> rung_plan(const sweep::SweepSpec& spec);

/// The time until the sweep's last trial or its time limit, at the pace so far. Empty before the first trials
/// have ended, and after the sweep has ended.
std::optional<nanoseconds> time_left(const sweep::SweepState& state, Time now);

/// A row of bars, ▁ to █, or "_" to "#" if `utf8` is false; their heights range from the smallest shown value
/// to the largest. If the values exceed the columns, leaves out some, but keeps the last one. Values must be
/// finite.
std::string sparkline(std::span<const double> values, size_t columns, bool utf8);

struct HistoryPlot {
  size_t width = 72;  ///< columns, including the labels
  size_t height = 10;
  bool maximize = false;
  bool utf8 = true;  ///< if false, uses only ASCII
};

/// Plots a sweep's values as rows of text: the best value so far as a line, and each value in its range as a
/// dot. `values` are in the order in which trials ended; a trial without a value has NaN. The largest value
/// is at the top; the numbers of the first and last trial, from 1, are below. Empty without a finite value.
std::vector<std::string> history_plot(std::span<const double> values, const HistoryPlot& plot = {});

}  // namespace kml::ui
