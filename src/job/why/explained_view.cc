#include "kml/job/why/why.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "job/why/causes.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

std::string scheduler_message(std::span<const Json* const> pods) {
  for (const Json* pod : pods)
    if (const api::Condition scheduled = api::condition(*pod, "PodScheduled"); scheduled.is_false())
      return scheduled.message();
  return {};
}

/// How many pods Kueue has admitted, and how many the job asked for, if that is more: in the Job itself,
/// Kueue lowers the number.
std::optional<std::pair<int, int>> partly_admitted(const Json& workload) {
  int admitted = 0, asked = 0;
  for (const Json& set : array_at(workload, {"status", "admission", "podSetAssignments"}))
    admitted += static_cast<int>(int_at(set, {"count"}));
  for (const Json& set : array_at(workload, {"spec", "podSets"}))
    asked += static_cast<int>(int_at(set, {"count"}, 1));
  if (admitted == 0 || admitted >= asked) return {};
  return std::pair(admitted, asked);
}

}  // namespace

JobView view_of_job(const Json& job, std::span<const Json* const> pods, const Json* workload) {
  JobView view = basic_view_of_job(job, pods);
  view.state = state_of(job, view.running > 0, workload);
  if (const auto part = workload ? partly_admitted(*workload) : std::nullopt;
      part && view.state == State::running && view.running == view.pods) {
    view.pods = part->second;
    view.cause = fmt::format("Kueue admitted {} of {} pods", part->first, part->second);
    return view;
  }
  const bool all_run = view.state == State::running && view.running >= view.pods;
  if (view.state == State::succeeded || view.state == State::cancelled || view.state == State::cancelling ||
      all_run)
    return view;
  Facts facts{.job = job, .pods = pods};
  if (workload) facts.workloads = std::vector<Json>{*workload};
  facts.sees_all_workloads = false;
  const Cause cause = std::move(causes_of(facts)[0]);
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

}  // namespace kml::job
