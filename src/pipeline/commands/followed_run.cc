#include "pipeline/commands/followed_run.h"

#include <algorithm>

#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"

namespace kml::cli {

/// The step; for a foreach, the steps of its known items.
std::vector<std::string> FollowedRun::step_names() const {
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run_.state);
  std::vector<std::string> names;
  for (const pipeline::Step* step : pipeline.all_of(step_)) names.push_back(step->name);
  return names.empty() ? std::vector{step_} : names;
}

bool FollowedRun::has_ended() const {
  if (run_.state.end() || step_.empty()) return run_.state.end().has_value();
  return std::ranges::all_of(step_names(), [this](const std::string& name) {
    return pipeline::has_ended(run_.state.step(name).phase);
  });
}

bool FollowedRun::may_get_jobs() const {
  if (step_.empty()) return true;
  const pipeline::Pipeline pipeline = pipeline::pipeline_of(run_.state);
  std::vector<const pipeline::Step*> steps = pipeline.all_of(step_);
  if (const pipeline::Step* step = pipeline.find(step_)) steps.push_back(step);
  const bool has_jobs = std::ranges::none_of(
      steps, [](const pipeline::Step* step) { return is_sweep(*step) || is_serve(*step); });
  return !steps.empty() && has_jobs && !has_ended();
}

void FollowedRun::select(job::LogSelection& selection) {
  selection.namespace_name = context_.target().namespace_name;
  selection.to_come = {.selector = std::string(api::kRun) + "=" + run_.state.name(),
                       .wants = [this](const Json& job) { return wants(job); },
                       .is_over = [this] { return read_whether_over(); },
                       .pause = pause_between_updates(run_)};
  selection.jobs = job::list_jobs(context_.client(), selection.namespace_name, selection.to_come->selector);
  std::erase_if(selection.jobs, [this](const Json& job) { return !wants(job); });
}

bool FollowedRun::wants(const Json& job) {
  if (step_.empty()) return true;
  update(context_, run_);  // the items of a foreach may be known only now
  const std::vector<std::string> names = step_names();
  return std::ranges::find(names, api::label_of(job, api::kStep)) != names.end();
}

bool FollowedRun::read_whether_over() {
  const bool is_executed = has_engine(context_, run_);
  update(context_, run_);
  return !is_executed || has_ended();
}

int FollowedRun::report() const {
  if (!has_ended()) throw without_engine(run_);
  if (!step_.empty()) return report_steps();
  context_.note("run " + run_.state.name() + " " + ui::run_state_text(run_.state, false));
  return run_.state.end() == pipeline::Outcome::succeeded ? 0 : static_cast<int>(ErrorCode::job_failed);
}

int FollowedRun::report_steps() const {
  bool is_good = true;
  for (const std::string& name : step_names()) {
    const pipeline::StepState& state = run_.state.step(name);
    if (pipeline::has_made(state.phase)) continue;
    context_.note("step " + name + " " + std::string(name_of(state.phase)) +
                  (state.cause.empty() ? "" : ": " + state.cause));
    is_good = is_good && state.phase == pipeline::Phase::skipped;
  }
  return is_good ? 0 : static_cast<int>(ErrorCode::job_failed);
}

int FollowedRun::report_interrupt() const {
  const std::string& name = run_.state.name();
  context_.note("run " + name + " is still running; `kml run logs -f " + name +
                (step_.empty() ? "" : " " + step_) + "` follows its logs again, `kml run stop " + name +
                "` stops it");
  return static_cast<int>(ErrorCode::interrupted);
}

}  // namespace kml::cli
