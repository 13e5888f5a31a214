#include "job/views/time_limit.h"

#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::chrono::seconds time_limit_of(const Json& job) {
  return std::chrono::seconds(api::deadline_in(api::spec_of(job), api::deadline_in(api::run_policy_of(job))));
}

std::optional<Time> limit_began(const Json& job) {
  const auto whole = parse_rfc3339(string_at(job, {"status", kStartOfWholeJob}));
  return whole ? whole : api::started_at(job);
}

std::optional<Time> ends_by_limit(const Json& job) {
  const std::optional<Time> started = limit_began(job);
  const std::chrono::seconds limit = time_limit_of(job);
  if (!started || limit.count() <= 0 || api::is_suspended(job)) return {};
  return *started + limit;
}

std::string time_limit_in_words(const Json& job, State state, Time now) {
  const std::chrono::seconds limit = time_limit_of(job);
  if (limit.count() <= 0) return {};
  std::string text = short_duration(limit);
  if (has_ended(state)) return text;
  if (api::is_suspended(job))
    return text + (state == State::suspended ? ", counted from when the job is resumed"
                                             : ", counted from when the job may start");
  const auto end = ends_by_limit(job);
  if (!end) return text;
  return text + (state == State::waiting ? ", includes this wait, and" : ",") + " ends the job " +
         when_in_words(end, now);
}

}  // namespace kml::job
