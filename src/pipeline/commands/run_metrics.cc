#include "pipeline/commands/run_metrics.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "job/commands/accounts.h"
#include "job/commands/submission_outcomes.h"
#include "kml/base/error.h"
#include "kml/job/views/find.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::cli {

namespace {

bool has_metrics(const pipeline::Step& step) {
  return std::any_of(step.outputs.begin(), step.outputs.end(), [](const pipeline::Output& output) {
    return output.kind == pipeline::OutputKind::metric;
  });
}

/// Adds the curves of metrics that the step's job logged, under the names of its outputs.
void add_courses(tracking::MetricCollector logged, const pipeline::Step& step,
                 tracking::MetricCourses& courses) {
  for (const pipeline::Output& output : step.outputs)
    if (const auto course = logged.courses.find(output.metric);
        output.kind == pipeline::OutputKind::metric && course != logged.courses.end())
      courses[step.name + "." + output.name] = std::move(course->second);
}

/// The jobs of all attempts of the run's steps, by name. Empty if they cannot be listed.
std::map<std::string, Json> jobs_of(Context& context, const pipeline::RunState& state) try {
  std::map<std::string, Json> found;
  for (Json& job : job::list_jobs(context.client(), context.target().namespace_name,
                                  std::string(api::kSubmitId) + "=" + state.id()))
    found.emplace(api::name_of(job), std::move(job));
  return found;
} catch (const Error&) {
  return {};
}

}  // namespace

void record_metrics_of_run(Context& context, const pipeline::RunState& state, const std::string& run_id) {
  constexpr size_t kMostLogs = 50;
  const std::map<std::string, Json> made = jobs_of(context, state);
  std::vector<Json> all;
  for (const auto& [name, job] : made) all.push_back(job);
  if (tracking::is_submit(state)) return record_metrics(context, all);
  record_gpu_time(context, all);
  tracking::MetricCourses courses;
  size_t read = 0;
  for (const pipeline::Step& step : pipeline::pipeline_of(state).steps) try {
      const auto job = made.find(state.step(step.name).job);
      if (job == made.end() || !has_metrics(step)) continue;
      if (++read > kMostLogs) break;
      add_courses(tracking::metrics_of_job(context.client(), job->second), step, courses);
    } catch (const Error&) {
      // Without the log, only the final values are known; they are in the journal.
    }
  tracking::RunCourses::of_user().write(run_id, courses);
}

}  // namespace kml::cli
