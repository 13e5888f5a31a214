#include "pipeline/commands/run_view.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include "kml/pipeline/tables/run_table.h"
#include "kml/ui/table.h"
#include "pipeline/commands/cached_schedule.h"

namespace kml::cli {

RunView::RunView(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& state)
    : context_(context), pipeline_(pipeline), screen_(context.streams()) {
  for (const auto& [name, step] : state.steps()) told_[name] = step.phase;
}

void RunView::show(const pipeline::RunState& state) {
  std::vector<const pipeline::Step*> steps;
  for (const pipeline::Step& step : pipeline_.steps) steps.push_back(&step);
  show(state, steps);
}

void RunView::show(const pipeline::RunState& state, const std::vector<const pipeline::Step*>& changed) {
  if (context_.streams().out_is_terminal)
    return screen_.draw(ui::lines_of(context_.streams(), [&](const Streams& streams) {
      streams.out << state.name() << "  " << ui::run_state_text(state, false) << "\n";
      ui::print_steps(streams, pipeline_, state, system_clock().now(),
                      std::max<size_t>(screen_.rows(), 6) - 3);
    }));
  for (const pipeline::Step* step : changed) tell(*step, state.step(step->name));
}

/// Prints a line each time a step ends. A step may end several times: if its output was deleted, it runs
/// again.
void RunView::tell(const pipeline::Step& step, const pipeline::StepState& state) {
  if (std::exchange(told_[step.name], state.phase) == state.phase || !has_ended(state.phase)) return;
  std::string line = step.name + " " + std::string(name_of(state.phase));
  if (state.began && state.ended) line += " " + short_duration(*state.ended - *state.began);
  if (const std::string words = ui::step_in_words(step, state); !words.empty()) line += "  " + words;
  context_.streams().out << line << std::endl;
}

void RunView::end() {
  if (context_.streams().out_is_terminal) screen_.end();
}

namespace {

/// Prints the complete causes of failed steps. If one of these has a log, prints how to read it, preferably
/// that of a step whose failure has ended the run.
void tell_failures(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& run) {
  const pipeline::Step* with_log = nullptr;
  for (const pipeline::Step& step : pipeline.steps) {
    const pipeline::StepState& state = run.step(step.name);
    if (state.phase != pipeline::Phase::failed) continue;
    context.note("step " + step.name + " failed: " + state.cause);
    if (state.is_seen && !is_sweep(step) && !is_serve(step) &&
        (!with_log || (with_log->continues && !step.continues)))
      with_log = &step;
    if (is_sweep(step) && !state.job.empty())
      context.note("`kml sweep status " + state.job + "` shows its trials");
  }
  if (with_log)
    context.note("`kml run logs " + run.name() + " " + with_log->name + "` prints the log of step " +
                 with_log->name);
}

/// Prints what a user should know about steps that succeeded.
void tell_notes(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& run) {
  for (const pipeline::Step& step : pipeline.steps)
    if (const pipeline::StepState& state = run.step(step.name);
        state.phase == pipeline::Phase::done && !state.cause.empty())
      context.note("step " + step.name + ": " + state.cause);
}

}  // namespace

int report_run(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& run) {
  context.note("run " + run.name() + " " + ui::run_state_text(run, false));
  tell_notes(context, pipeline, run);
  tell_failures(context, pipeline, run);
  note_nothing_ran(context, run);
  if (run.end() == pipeline::Outcome::succeeded) return 0;
  context.note("`kml run resume " + run.name() + "` retries the steps that did not succeed");
  return static_cast<int>(ErrorCode::job_failed);
}

}  // namespace kml::cli
