#include "sweep/runner/indexed_wave.h"

#include "kml/job/views/job_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

namespace {

bool job_is_over(const Json& job) {
  if (api::condition_is_true(job, "Complete") || api::condition_is_true(job, "Failed")) return true;
  return job::state_of(job, false) == job::State::cancelled && api::is_suspended(job) &&
         api::active_pods(job) == 0;
}

}  // namespace

void LiveWave::update(const Json& now) {
  job = now;
  is_over = job_is_over(job);
  completed = job::IndexRanges(api::completed_indexes(job));
  failed = job::IndexRanges(api::failed_indexes(job));
}

TrialReport report_of(const LiveIndex& live, TrialReport::Kind kind) {
  TrialReport report = live.pods.report(kind);
  report.gpu_seconds += live.gpu_seconds;
  return report;
}

}  // namespace kml::sweep
