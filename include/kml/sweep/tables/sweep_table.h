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

/// One line about a sweep's progress: trials, best value, used time and GPU hours, estimated remaining time.
std::string sweep_summary(const sweep::SweepState& state, Time now);

/// The part of the budget that a finished sweep did not use, or, if it had the default budget, the number of
/// untried points of its space. Empty if nothing is left, or if a given number of trials was used up.
std::string untried_in_words(const sweep::SweepState& state);

/// The reasons why trials wait, by trial number.
using Waits = std::map<std::uint64_t, std::string>;

/// The most frequent causes, as a text: "waiting: 3: not enough GPUs free on 6 nodes; 1: quota ...". Empty if
/// no cause is known.
std::string waits_in_words(const Waits& waits);

/// Prints up to `most` trials (0: all) as a table, the best first. `engine`, if not null, adds the values
/// that running trials have reported.
void print_trials(const Streams& streams, const sweep::SweepState& state, const sweep::Engine* engine,
                  const Waits& waits, size_t most, bool with_header, Time now);

/// The trial's reported values of the objective and the additional metrics: "accuracy=0.97 loss=0.1".
std::string values_in_words(const sweep::SweepSpec& spec, const sweep::Trial& trial);

/// With several objectives, the trials on the Pareto front, sorted by the first objective.
std::vector<const sweep::Trial*> front_of(const sweep::SweepState& state);
/// The number of trials on the front, as a text: "5 trials on the front of accuracy, latency".
std::string front_in_words(const sweep::SweepState& state);
/// Prints the front as a table of values and parameters.
void print_front(const Streams& streams, const sweep::SweepState& state);
/// The front as a list of {trial, metrics, parameters, job}.
Json front_to_json(const sweep::SweepState& state);
/// [{metric, maximize}].
Json objectives_to_json(const sweep::SweepSpec& spec);

/// The values in the order of the space: "lr=0.013 batch=64".
std::string in_words(const sweep::SweepSpec& spec, const Json& values);

/// The first line of a cause, without the words that announce further lines ("; its last lines:").
std::string in_a_line(std::string_view cause);

/// A value for a table: a text without quotes, a whole number, or another number with four significant
/// digits.
std::string value_text(const Json& value);
/// A parameter's value exactly as a program gets it.
std::string parameter_text(const Json& value);

/// The text for a trial's state: "waiting", "running", "paused", "complete", "pruned", "failed", …
std::string state_text(const sweep::Trial& trial);

/// Prints CSV (RFC 4180), one line per trial: number, state, value, times, GPU seconds, parameters,
/// additional metrics, cause.
void print_csv(const Streams& streams, const sweep::SweepState& state);
/// Prints one JSON object per trial.
void print_jsonl(const Streams& streams, const sweep::SweepState& state);
/// The sweep with all its trials as JSON.
Json to_json(const sweep::SweepState& state);

/// After each trial that ended, the best value so far, starting with the first complete trial. Empty with
/// several objectives.
std::vector<double> best_so_far(const sweep::SweepState& state);

/// The planned number of trials: the budget, or the number of points of the space if that is smaller. If a
/// sweep ended because all points were tried, the number of its trials.
std::uint64_t planned_trials(const sweep::SweepState& state);

/// The resources of the rungs of early stopping, and of a full trial as the last; empty if there are no
/// rungs.
std::vector<double> rungs_of(const sweep::Stopping& stopping);

/// A line about each bracket, with about how many trials will start in it: "bracket 0: rungs of epoch: 1, 4,
/// 16 (62 trials)".
std::vector<std::string> rung_plan(const sweep::SweepSpec& spec);

/// The estimated time until the sweep's last trial ends or its time limit is reached, at the average speed so
/// far. Empty before the first trials have ended, and after the sweep has ended.
std::optional<nanoseconds> time_left(const sweep::SweepState& state, Time now);

struct HistoryPlot {
  size_t width = 72;  ///< the width of the plot in columns, including the labels
  size_t height = 10;
  bool maximize = false;
  bool utf8 = true;  ///< if false, the plot uses only ASCII
};

/// Draws a sweep's values as a plot of several lines of text: the best value so far as a line, and each value
/// in the range of this line as a dot. `values` are in the order in which trials ended; a trial without a
/// value has NaN. The axis has the largest value of the line at the top and the smallest at the bottom, and
/// below it the numbers of the first and last trial, counted from 1. Empty if no value is finite.
std::vector<std::string> history_plot(std::span<const double> values, const HistoryPlot& plot = {});

}  // namespace kml::ui
