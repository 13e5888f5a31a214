#include "cli/run_metrics.h"

#include <algorithm>
#include <utility>

#include "cli/run_outcomes.h"
#include "kml/core/error.h"
#include "kml/jobs/runs/metric_courses.h"
#include "kml/jobs/runs/tracked_run.h"
#include "kml/jobs/views/find.h"
#include "kml/pipeline/runs.h"

namespace kml::cli {

namespace {

bool has_metrics(const pipeline::Step& step) {
  return std::any_of(step.outputs.begin(), step.outputs.end(), [](const pipeline::Output& output) {
    return output.kind == pipeline::OutputKind::metric;
  });
}

/// Adds the courses that the step's job logged, by the names that the metrics have as outputs.
void add_courses(jobs::MetricCollector logged, const pipeline::Step& step, jobs::MetricCourses& courses) {
  for (const pipeline::Output& output : step.outputs)
    if (const auto course = logged.courses.find(output.metric);
        output.kind == pipeline::OutputKind::metric && course != logged.courses.end())
      courses[step.name + "." + output.name] = std::move(course->second);
}

}  // namespace

void record_metrics_of_run(Context& context, const pipeline::Pipeline& pipeline, const std::string& run) {
  constexpr size_t kMostLogs = 50;
  const pipeline::RunState state = pipeline::read_run(run);
  jobs::MetricCourses courses;
  size_t read = 0;
  for (const pipeline::Step& step : pipeline.steps) try {
      const std::string& job_name = state.step(step.name).job;
      if (job_name.empty() || is_sweep(step) || (!has_metrics(step) && !jobs::is_submit(state))) continue;
      if (++read > kMostLogs) break;
      const Json job = jobs::find_job(context.client(), context.target().namespace_name, job_name);
      if (jobs::is_submit(state))
        record_metrics(context, {job});
      else
        add_courses(jobs::metrics_of_job(context.client(), job), step, courses);
    } catch (const Error&) {
      // The values of the outputs are in the journal, without their course.
    }
  jobs::RunCourses::of_user().write("run/" + run, courses);
}

}  // namespace kml::cli
