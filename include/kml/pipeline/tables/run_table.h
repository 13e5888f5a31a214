#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/streams.h"
#include "kml/pipeline/engine/plan.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::ui {

/// Prints a line for each step, indented deeper than the steps that it waits for, with its state, time, and
/// its results or the cause of its state. If the run has more than `most` steps, running and failed ones are
/// preferred.
void print_steps(const Streams& streams, const pipeline::Pipeline& pipeline, const pipeline::RunState& run,
                 Time now, size_t most = SIZE_MAX);

/// The state of a step in tables: "starting", "not run", or its phase, such as "running" or "done".
std::string step_state_text(const pipeline::StepState& state, const pipeline::RunState& run);

/// A step's results, such as "accuracy=0.97  model (12 KiB)", or why it failed, waits or was skipped.
std::string step_in_words(const pipeline::Step& step, const pipeline::StepState& state);

/// Prints what a run would do with each step: HIT, RUN, RUN?, SKIP or FOREACH, and why.
void print_plan(const Streams& streams, const pipeline::Pipeline& pipeline,
                const std::vector<pipeline::PlannedStep>& plan);

/// The state of a run: "running", "interrupted" if it has no engine, or how it ended.
std::string run_state_text(const pipeline::RunState& run, bool is_left);

struct RunRow {
  pipeline::RunState state;
  std::string pipeline;
  size_t steps = 0;
  bool is_left = false;  ///< whether the run has no engine, although it has not ended
  std::string engine;    ///< "this machine"
};
void print_runs(const Streams& streams, const std::vector<RunRow>& runs, Time now);

/// A run as JSON, with its steps in order.
Json run_to_json(const pipeline::Pipeline& pipeline, const pipeline::RunState& run, bool is_left);
Json plan_to_json(const std::vector<pipeline::PlannedStep>& plan);

}  // namespace kml::ui
