#pragma once

#include "kml/core/streams.h"
#include "kml/sweep/journal/sweep_state.h"

namespace kml::ui {

/// One line a trial under a header: number, state, value, times, parameters, additional metrics (RFC 4180).
void print_csv(const Streams& streams, const sweep::SweepState& state);
/// One JSON object a trial.
void print_jsonl(const Streams& streams, const sweep::SweepState& state);
/// The sweep with all its trials.
Json to_json(const sweep::SweepState& state);

}  // namespace kml::ui
