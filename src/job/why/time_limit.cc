#include <fmt/format.h>

#include <optional>

#include "job/views/time_limit.h"
#include "job/why/causes.h"
#include "kml/base/clock.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// Kubernetes counts a Job's time limit from its startTime, even while its pods have no node.
void mind_time_limit(const Facts& facts, Cause& cause) {
  const std::optional<Time> end = ends_by_limit(facts.job);
  const bool waits = cause.outlook == Outlook::waits || cause.outlook == Outlook::never;
  if (!end || !waits || cause.code == CauseCode::backoff) return;
  cause.summary += fmt::format("; its time limit of {} includes this wait, and ends the job {}",
                               short_duration(time_limit_of(facts.job)), when_in_words(end, facts.now));
}

}  // namespace kml::job
