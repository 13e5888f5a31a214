#include "pipeline/engine/engine.h"

#include <algorithm>
#include <utility>

#include "kml/base/error.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/engine_words.h"
#include "pipeline/engine/live_run.h"
#include "pipeline/engine/run_course.h"
#include "pipeline/engine/run_decisions.h"
#include "pipeline/engine/skip_reason.h"
#include "pipeline/engine/step_claims.h"
#include "pipeline/engine/step_ends.h"
#include "pipeline/engine/step_inputs.h"
#include "pipeline/engine/step_jobs.h"
#include "pipeline/engine/step_starts.h"

namespace kml::pipeline {

/// The parts of an engine. Each part uses the parts before it.
struct Engine::Parts {
  Parts(Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner, const Clock& clock)
      : run(pipeline),
        claims(cache, run.state()),
        decisions(journal, clock, [this](const Record& record) { apply(record); }),
        course(run),
        inputs(run, cache),
        jobs(run, course, runner, clock),
        starts({run, course, inputs, jobs, cache, runner, claims, decisions}),
        ends({run, course, inputs, jobs, cache, runner, decisions}) {
    decisions.replay();
  }

  /// A step that is not running holds no claims.
  void apply(const Record& record) {
    run.apply(record);
    if (const std::string* step = step_of(record); step && !run.is_running(*step)) claims.release(*step);
  }

  LiveRun run;
  StepClaims claims;
  RunDecisions decisions;
  RunCourse course;
  StepInputs inputs;
  StepJobs jobs;
  StepStarts starts;
  StepEnds ends;
  bool is_first_round = true;
};

Engine::Engine(Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner,
               const Clock& clock, Hooks hooks)
    : runner_(runner),
      hooks_(std::move(hooks)),
      parts_(std::make_unique<Parts>(journal, pipeline, cache, runner, clock)) {
  if (hooks_.counts_restarts) parts_->ends.count_restarts();
}

Engine::~Engine() = default;

const RunState& Engine::state() const {
  return parts_->run.state();
}

const Pipeline& Engine::pipeline() const {
  return parts_->run.pipeline();
}

std::vector<const Step*> Engine::changed() const {
  return parts_->run.changed();
}

void Engine::run(const std::string& owner) {
  LiveRun& run = parts_->run;
  if (state().end()) return;
  if (pipeline().with_items)
    run.set_steps(pipeline().with_items(state().items()).steps);
  else
    run.index();
  run.forget_changes();
  parts_->ends.set_begun(parts_->decisions.now());
  parts_->decisions.decide(record::Session{owner});
  engine::run_to_end(*this, parts_->decisions, runner_);
}

void Engine::tell() {
  hooks_.on_step(*this);
  parts_->run.forget_changes();
}

std::optional<std::chrono::milliseconds> Engine::longest_wait() const {
  // How long it may take until the engine notices a stop, or a step whose retry is due.
  constexpr std::chrono::milliseconds kLongestWait{500};
  // How long it may take until the engine notices that another run has made the result that a step waits for.
  constexpr std::chrono::milliseconds kClaimWait{50};
  const LiveRun& run = parts_->run;
  const bool is_closing = parts_->course.is_closing();
  if (parts_->claims.is_any_awaited() && !is_closing) return kClaimWait;
  if (!run.places().in(Phase::running).empty()) return kLongestWait;
  const bool is_any_due = std::ranges::any_of(run.places().in(Phase::waiting), [&](size_t place) {
    const Step& step = run.step_at(place);
    return run.state_of(step).not_before != Time{} && (parts_->course.goes_on(step) || !is_closing);
  });
  return is_any_due ? std::optional(kLongestWait) : std::nullopt;
}

void Engine::reattach() {
  for (const Step& step : pipeline().steps)
    if (parts_->run.is_running(step.name)) parts_->starts.reattach(step);
  repeat_exits();
}

/// If a run is retried, its onExit steps run again too, because the outcome may change.
void Engine::repeat_exits() {
  const auto is_open = [&](const std::string& name) { return !has_ended(state().step(name).phase); };
  for (const Step& step : pipeline().steps)
    if (step.at_exit && has_made(state().step(step.name).phase) && std::ranges::any_of(step.after, is_open))
      parts_->decisions.decide(record::Again{step.name, "the run is retried", parts_->decisions.now(), true});
}

void Engine::plan() {
  // If a run is stopped right after its start, the engine still starts the first steps, and then records them
  // as stopped.
  if (!std::exchange(parts_->is_first_round, false)) consider_stop();
  consider_steps();
}

void Engine::consider_stop() {
  if (parts_->course.is_stopping() || !hooks_.stop_wish()) return;
  parts_->course.stop();
  for (const size_t place : parts_->run.places().in(Phase::running))
    parts_->decisions.stop(parts_->run.state_of(parts_->run.step_at(place)).job);
}

/// Considers the steps in order, so that one decision can allow others in the same round.
void Engine::consider_steps() {
  is_closing_ = parts_->course.is_closing();
  const StepIndex::Places& waiting = parts_->run.places().in(Phase::waiting);
  for (auto next = waiting.begin(); next != waiting.end();) {
    const size_t place = *next++;  // a decision may remove the step from the set
    const Step& step = parts_->run.step_at(place);
    if (is_closing_ && !parts_->course.goes_on(step)) continue;
    if (step.items || !is_ready(place) || parts_->starts.is_crowded(step)) continue;
    try {
      parts_->starts.consider(step);
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted || error.reason == kStoreTrouble) throw;
      parts_->decisions.decide(record::Ended{step.name, record::Ended::How::failed, cause_of(error)});
      is_closing_ = parts_->course.is_closing();
    }
  }
}

/// Expands the next foreach over outputs of other steps if its inputs are known. Returns whether there was
/// one. Called when no step is about to start, because steps that are about to start are identified by their
/// index.
bool Engine::grow() {
  if (!pipeline().with_items || parts_->course.is_closing()) return false;
  const StepIndex::Places& waiting = parts_->run.places().in(Phase::waiting);
  const auto next = std::ranges::find_if(
      waiting, [&](size_t place) { return parts_->run.step_at(place).items && is_ready(place); });
  if (next == waiting.end()) return false;
  grow(parts_->run.step_at(*next));
  return true;
}

/// The items are written to the journal before the steps exist, so that the next engine makes the same steps,
/// even if the other step's output has changed.
void Engine::grow(const Step& step) {
  if (const std::string reason = reason_to_skip(step, parts_->run, parts_->inputs, parts_->course);
      !reason.empty())
    return parts_->decisions.decide(record::Skipped{step.name, reason});
  try {
    const Json items = step.items(parts_->inputs.of(step));
    Json known = state().items();
    known[step.name] = items;
    std::vector<Step> grown = pipeline().with_items(known).steps;  // throws Error if a step is invalid
    parts_->decisions.decide(record::Items{step.name, items});
    parts_->run.set_steps(std::move(grown));
  } catch (const Error& error) {
    parts_->decisions.decide(record::Ended{step.name, record::Ended::How::failed, cause_of(error)});
  }
}

bool Engine::is_ready(size_t place) const {
  const LiveRun& run = parts_->run;
  const bool is_any_awaited = std::ranges::any_of(run.places().dependencies(place), [&](size_t each) {
    const Phase phase = run.places().phase(each);
    return !has_ended(phase) && !(is_closing_ && phase == Phase::waiting);
  });
  return !is_any_awaited && run.state_of(run.step_at(place)).not_before <= parts_->decisions.now();
}

void Engine::take(const engine::JobReport& report) {
  if (const Step* step = parts_->run.step_with(report.job)) parts_->ends.take(*step, report);
}

void Engine::end() {
  parts_->decisions.decide(record::End{parts_->course.last_outcome()});
}

}  // namespace kml::pipeline
