#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::chrono::seconds time_limit_of(const Json& job) {
  return std::chrono::seconds(api::deadline_in(api::spec_of(job), api::deadline_in(api::run_policy_of(job))));
}

std::optional<Time> ends_by_limit(const Json& job) {
  const std::optional<Time> started = api::started_at(job);
  const std::chrono::seconds limit = time_limit_of(job);
  if (!started || limit.count() <= 0 || api::is_suspended(job)) return {};
  return *started + limit;
}

/// Kubernetes counts a Job's time limit from its startTime, even while its pods have no node.
void mind_time_limit(const Facts& facts, Cause& cause) {
  const std::optional<Time> end = ends_by_limit(facts.job);
  const bool waits = cause.outlook == Outlook::waits || cause.outlook == Outlook::never;
  if (!end || !waits || cause.code == CauseCode::backoff) return;
  cause.summary += fmt::format("; its time limit of {} includes this wait, and ends the job {}",
                               short_duration(time_limit_of(facts.job)), when_in_words(end, facts.now));
}

}  // namespace kml::job
