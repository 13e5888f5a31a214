#include "jobs/sweep/indexed_wave.h"

#include "kml/api/object.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

namespace {

bool job_is_over(const Json& job) {
  if (api::condition_is_true(job, "Complete") || api::condition_is_true(job, "Failed")) return true;
  return state_of(job, false) == State::cancelled && bool_at(job, {"spec", "suspend"}) &&
         int_at(job, {"status", "active"}) == 0;
}

}  // namespace

void Wave::update(const Json& now) {
  job = now;
  is_over = job_is_over(job);
  completed = IndexRanges(string_at(job, {"status", "completedIndexes"}));
  failed = IndexRanges(string_at(job, {"status", "failedIndexes"}));
}

sweep::TrialReport report_of(const LiveIndex& live, sweep::TrialReport::Kind kind) {
  sweep::TrialReport report = live.pods.report(kind);
  report.gpu_seconds += live.gpu_seconds;
  return report;
}

}  // namespace kml::jobs
