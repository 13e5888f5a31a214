#include "pipeline/commands/why_run.h"

#include <algorithm>
#include <utility>

#include "kml/job/why/cause.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_selection.h"

namespace kml::cli {

namespace {

using job::CauseCode;
using pipeline::Phase;

/// How well the step explains the state of the run; 0 if it does not explain the state.
int rank_of(const pipeline::Step* step, const pipeline::StepState& state) {
  if (state.phase == Phase::failed) return step && step->continues ? 1 : 4;
  if (state.job.empty()) return 0;
  return state.phase != Phase::running ? 0 : state.is_seen ? 2 : 3;
}

job::State state_of_outcome(const pipeline::RunState& run) {
  if (!run.end()) return job::State::running;
  switch (*run.end()) {
    case pipeline::Outcome::succeeded: return job::State::succeeded;
    case pipeline::Outcome::failed: return job::State::failed;
    case pipeline::Outcome::stopped: return job::State::cancelled;
  }
  return job::State::unknown;
}

CauseCode code_of_run(job::State state) {
  switch (state) {
    case job::State::succeeded: return CauseCode::succeeded;
    case job::State::failed: return CauseCode::failed;
    case job::State::cancelled: return CauseCode::cancelled;
    default: return CauseCode::running;
  }
}

/// An explanation of a run. `what` is what the note about it says.
Explained explained_run(Context& context, const pipeline::RunState& run, const std::string& what,
                        std::vector<job::Remedy> remedies = {}) {
  const job::State state = state_of_outcome(run);
  job::Cause cause = job::make_cause(code_of_run(state), "", what);
  cause.remedies = std::move(remedies);
  return explained(context, "Run", run.name(), state, std::move(cause));
}

/// The command that shows what a step without a job of its own has started.
job::Remedy way_to_see(const pipeline::Step& step, const std::string& job) {
  if (is_sweep(step)) return {"see its trials", "kml sweep status " + job};
  return {"see the served program", "kml serve list"};
}

HeldRun what_holds_up(Context& context, const pipeline::RunState& run) {
  const std::string& name = run.name();
  const pipeline::Pipeline steps = pipeline::pipeline_of(run);
  const auto rank = [&](const auto& entry) { return rank_of(steps.find(entry.first), entry.second); };
  const auto held = std::max_element(run.steps().begin(), run.steps().end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (held == run.steps().end() || rank(*held) == 0) {
    const std::string what =
        "nothing blocks run " + name + ": " +
        (run.end() ? "it has " + std::string(name_of(*run.end())) : "its next step has not started");
    context.note(what);
    return {{}, explained_run(context, run, what)};
  }
  const auto& [step_name, state] = *held;
  const std::string what = "run " + name + ": step " + step_name + " " + ui::step_state_text(state, run) +
                           (state.cause.empty() ? "" : ": " + state.cause);
  context.note(what);
  const pipeline::Step* const step = steps.find(step_name);
  if (state.job.empty() || !step || !(is_sweep(*step) || is_serve(*step)))
    return {state.job, explained_run(context, run, what)};
  context.note(is_sweep(*step) ? "`kml sweep status " + state.job + "` shows its trials"
                               : "`kml serve list` shows the served program");
  return {{}, explained_run(context, run, what, {way_to_see(*step, state.job)})};
}

HeldRun held_run_there(Context& context, const ClusterEngine& there) {
  const std::string engine = engine_job_name(context, there.marks);
  if (engine::read_journal_copy(context.client(), there.marks).empty()) {
    const std::string what = "the engine of run " + there.marks.name + " has not started";
    return {engine, explained(context, "Run", there.marks.name, job::State::waiting,
                              job::make_cause(CauseCode::no_pods, "", what))};
  }
  const pipeline::RunState run = state_of_run(context, there);
  if (is_left(context, {run, there}))
    return {engine, explained_run(context, run, "the engine of run " + run.name() + " has ended too early")};
  return what_holds_up(context, run);
}

}  // namespace

std::optional<HeldRun> explain_run(Context& context, const std::string& name) {
  if (is_shown_run(context, name)) return what_holds_up(context, pipeline::read_run(name));
  const auto there = find_cluster_run(context, name);
  return there ? std::optional(held_run_there(context, *there)) : std::nullopt;
}

}  // namespace kml::cli
