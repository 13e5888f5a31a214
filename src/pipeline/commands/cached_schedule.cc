#include "pipeline/commands/cached_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kml/base/text.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/engine/plan.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

namespace {

constexpr const char* kRemedy =
    "to run a step at each start, give it `cache: false`, or use ${run.scheduled} in its command; --no-cache "
    "runs all steps";

/// Whether a start of the schedule may run the step even if none of its inputs has changed.
bool may_run_unchanged(const pipeline::Pipeline& pipeline, const pipeline::Step& step,
                       const pipeline::Renewal& renewal) {
  if (!step.is_cached || is_serve(step) || step.max_age || renewal.all || renewal.names(step)) return true;
  if (step.program) return contains(pipeline.text, "pipeline_job_schedule_time_utc");
  return pipeline::parts_of(step, {{"run.scheduled", ""}}, Json::object()).contains("run.scheduled");
}

/// The runs in the cluster, by name. Empty if the user may not list runs: the schedules are then listed
/// without their runs.
std::map<std::string, ClusterEngine> runs_in_cluster(Context& context) try {
  std::map<std::string, ClusterEngine> runs;
  if (context.place().is_local) return runs;
  for (ClusterEngine& run : cluster_runs(context)) {
    std::string name = run.marks.name;
    runs.emplace(std::move(name), std::move(run));
  }
  return runs;
} catch (const Error&) {
  return {};
}

bool are_all_cached(const PipelineHere& here, const pipeline::Renewal& renewal, const Json& values) {
  const auto plan = pipeline::plan(here.steps(), values, here.cache(), renewal);
  return std::ranges::all_of(plan, [](const pipeline::PlannedStep& step) {
    return step.what == pipeline::PlannedStep::What::hit || step.what == pipeline::PlannedStep::What::skip ||
           step.what == pipeline::PlannedStep::What::several;
  });
}

}  // namespace

void warn_of_cached_starts(Context& context, const PipelineHere& here, const pipeline::Renewal& renewal,
                           const Json& values, bool starts_once) {
  if (std::ranges::any_of(here.steps().steps, [&](const pipeline::Step& step) {
        return may_run_unchanged(here.steps(), step, renewal);
      }))
    return;
  // The results of runs in the cluster may be on a volume, which this machine cannot see.
  const bool are_known = context.place().is_local && are_all_cached(here, renewal, values);
  if (starts_once && !are_known) return;
  context.note(
      are_known
          ? "all steps are cached: unless something changes before the next start, that start runs nothing"
          : "a start runs only the steps whose code, inputs or parameters have changed since the last start; "
            "if nothing has changed, it runs nothing");
  context.note(kRemedy);
}

void note_nothing_ran(Context& context, const pipeline::RunState& run) {
  if (run.head().schedule.empty() || !run.ran_nothing()) return;
  context.note("all steps were cached, so this run of schedule " + run.head().schedule + " ran nothing");
  context.note(kRemedy);
}

void find_cached_runs(Context& context, std::vector<job::ScheduleView>& schedules) {
  const std::map<std::string, ClusterEngine> there =
      schedules.empty() ? std::map<std::string, ClusterEngine>() : runs_in_cluster(context);
  for (job::ScheduleView& schedule : schedules) try {
      if (schedule.result != job::State::succeeded) continue;
      const auto found = there.find(schedule.last_job);
      if (found != there.end() && found->second.marks.namespace_name == schedule.namespace_name)
        schedule.ran_nothing = state_of_run(context, found->second).ran_nothing();
      else if (context.place().is_local && pipeline::has_run(schedule.last_job))
        schedule.ran_nothing = pipeline::read_run(schedule.last_job).ran_nothing();
    } catch (const Error&) {
      // If the run cannot be read, its outcome is unknown.
    }
}

void note_cached_runs(Context& context, const std::vector<job::ScheduleView>& schedules) {
  std::vector<std::string> names;
  for (const job::ScheduleView& schedule : schedules)
    if (schedule.ran_nothing) names.push_back(schedule.name);
  if (names.empty()) return;
  context.note("the last run of " + join(names, ", ") + " ran nothing, because all steps were cached");
  context.note(kRemedy);
}

}  // namespace kml::cli
