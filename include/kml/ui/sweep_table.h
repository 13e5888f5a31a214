#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/streams.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/journal/sweep_state.h"

namespace kml::ui {

/// One line on how far a sweep is: trials, best value, what is left.
std::string sweep_summary(const sweep::SweepState& state, Time now);

/// Why trials wait, by their numbers.
using Waits = std::map<std::uint64_t, std::string>;

/// "waiting: 3 for not enough GPUs free on 6 nodes, 1 for quota ...": the most frequent causes. Empty if
/// nothing is known.
std::string waits_in_words(const Waits& waits);

/// The trials as a table, the best first, at most `most` of them (0: all); `engine` adds what running ones
/// have reported, where there is one.
void print_trials(const Streams& streams, const sweep::SweepState& state, const sweep::Engine* engine,
                  const Waits& waits, size_t most, bool with_header, Time now);

/// "lr=0.013 batch=64", in the space's order.
std::string in_words(const sweep::SweepSpec& spec, const Json& values);

/// The first line of a cause, without what only announces the lines below it ("; its last lines:").
std::string in_a_line(std::string_view cause);

/// A parameter's value: a text without quotes, a number with as many digits as are needed.
std::string value_text(const Json& value);

/// What a trial does, or how it ended: "waiting", "running", "paused", "complete", "pruned", "failed", …
std::string state_text(const sweep::Trial& trial);

/// One line a trial under a header: number, state, value, times, parameters, additional metrics (RFC 4180).
void print_csv(const Streams& streams, const sweep::SweepState& state);
/// One JSON object a trial.
void print_jsonl(const Streams& streams, const sweep::SweepState& state);
/// The sweep with all its trials.
Json to_json(const sweep::SweepState& state);

/// The best value after each trial that ended, from the first complete one on.
std::vector<double> best_so_far(const sweep::SweepState& state);

/// How many trials there will be: the budget, or all of a smaller space.
std::uint64_t planned_trials(const sweep::SweepState& state);

/// The resources at which early stopping compares trials; empty if it knows no rungs.
std::vector<double> rungs_of(const sweep::Stopping& stopping);
/// "rungs of epoch: 1 (20 trials), 3 (9)": how many got how far. Empty without rungs.
std::string rungs_in_words(const sweep::SweepState& state);

/// "rungs of epoch: 1, 4, 16 (62 trials)": a line for each ladder, and how many trials will begin on it.
std::vector<std::string> rung_plan(const sweep::SweepSpec& spec);

/// How long the sweep will go on, as fast as it went so far: to its last trial, or the end of its time. Empty
/// before the first trials have ended, and where it is over.
std::optional<nanoseconds> time_left(const sweep::SweepState& state, Time now);

/// A row of bars, ▁ to █, from the least value shown to the largest; "_" to "#" where `utf8` is false. More
/// values than columns are thinned out, the last one stays. Only finite values.
std::string sparkline(std::span<const double> values, size_t columns, bool utf8);

struct HistoryPlot {
  size_t width = 72;  ///< columns, with the labels
  size_t height = 10;
  bool maximize = false;
  bool utf8 = true;  ///< else ASCII alone
};

/// A sweep's values in the order in which trials ended, NaN for those without one: the best so far as a line,
/// and each that lies in its range as a dot. Rows of text, the greatest value on top, under them the numbers
/// of the first and last trial, from 1. Empty if there is no finite value.
std::vector<std::string> history_plot(std::span<const double> values, const HistoryPlot& plot = {});

}  // namespace kml::ui
