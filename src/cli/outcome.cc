#include "cli/outcome.h"

#include "kml/jobs/records/records.h"

namespace kml::cli {

int exit_code_of(const jobs::JobView& job) {
  return job.state == jobs::State::succeeded ? 0 : static_cast<int>(ErrorCode::job_failed);
}

void report_end(Context& context, const Json& job, const jobs::JobView& view) {
  std::string text = "job " + view.name + " " +
                     (view.state == jobs::State::succeeded   ? "succeeded"
                      : view.state == jobs::State::cancelled ? "was cancelled"
                                                             : "failed");
  if (view.started && view.finished) text += " after " + short_duration(*view.finished - *view.started);
  if (!view.cause.empty()) text += ": " + view.cause;
  context.note(text);
  jobs::RunRecords::of_user().add_outcome(job, view);
}

int report_interrupt(Context& context, const std::vector<Json>& jobs) {
  if (jobs.size() == 1) {
    const std::string name = string_at(jobs[0], {"metadata", "name"});
    context.note("the job goes on; `kml logs -f " + name + "` follows it, `kml cancel " + name + "` ends it");
  } else if (!jobs.empty()) {
    context.note("the jobs go on");
  }
  return static_cast<int>(ErrorCode::interrupted);
}

}  // namespace kml::cli
