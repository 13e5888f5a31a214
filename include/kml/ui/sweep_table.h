#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/core/streams.h"
#include "kml/sweep/engine/engine.h"

namespace kml::ui {

/// One line on how far a sweep is: trials, best value, what is left.
std::string sweep_summary(const sweep::SweepState& state, Time now);

/// Why trials wait, by their numbers.
using Waits = std::map<std::uint64_t, std::string>;

/// "waiting: 3 for not enough GPUs free on 6 nodes, 1 for quota ...": the most frequent causes. Empty where
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

}  // namespace kml::ui
