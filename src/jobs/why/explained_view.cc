#include "kml/jobs/why/why.h"

#include "jobs/why/causes.h"
#include "kml/api/object.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

namespace {

std::string scheduler_message(std::span<const Json* const> pods) {
  for (const Json* pod : pods)
    if (const api::Condition scheduled = api::condition(*pod, "PodScheduled"); scheduled.is_false())
      return scheduled.message();
  return {};
}

}  // namespace

JobView view_of_job(const Json& job, std::span<const Json* const> pods) {
  JobView view = basic_view_of_job(job, pods);
  const bool all_run = view.state == State::running && view.running >= view.pods;
  if (view.state == State::succeeded || view.state == State::cancelled || view.state == State::cancelling ||
      all_run)
    return view;
  const Cause cause = cause_of(job, pods);
  view.cause_code = cause.code;
  view.cause = cause.brief;
  view.next_attempt = cause.next_attempt;
  view.last_failure = cause.last_failure;
  if (view.state == State::waiting) view.message = scheduler_message(pods);
  return view;
}

PodView view_of_pod(const Json& pod) {
  PodView view = basic_view_of_pod(pod);
  static const Json kUnknown = Json::object();
  if (const auto cause = pod_cause({.job = kUnknown}, pod)) view.cause = cause->brief;
  return view;
}

}  // namespace kml::jobs
