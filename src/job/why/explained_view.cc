#include "kml/job/why/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "job/views/lost_pods.h"
#include "job/why/causes.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

std::string scheduler_message(std::span<const Json* const> pods) {
  for (const Json* pod : pods)
    if (const api::Condition scheduled = api::condition(*pod, "PodScheduled"); scheduled.is_false())
      return scheduled.message();
  return {};
}

enum class Ending { none, succeeds, fails };

/// How the job has ended. Its controller may need seconds to mark it as ended, so its pods are checked, too.
Ending ending_of(const Json& job, std::span<const Json* const> pods, const JobView& view) {
  if (view.state != State::waiting || pods.empty()) return Ending::none;
  int succeeded = 0, failed = 0;
  for (const Json* pod : pods) {
    if (!api::pod_has_ended(*pod)) return Ending::none;
    // a disruption does not use up a retry
    const bool is_disrupted = api::condition_is_true(*pod, "DisruptionTarget");
    succeeded += api::phase_of(*pod) == "Succeeded" ? 1 : 0;
    failed += api::phase_of(*pod) == "Failed" && !is_disrupted ? 1 : 0;
  }
  if (std::max(succeeded, view.succeeded) >= view.completions) return Ending::succeeds;
  const bool is_out_of_retries = view.kind == "Job" && !api::is_indexed(job) &&
                                 std::max(failed, view.failed) > int_at(job, {"spec", "backoffLimit"}, 6);
  return is_out_of_retries ? Ending::fails : Ending::none;
}

}  // namespace

JobView view_of_job(const Json& job, std::span<const Json* const> pods, const Json* workload) {
  JobView view = basic_view_of_job(job, pods);
  view.state = state_of(job, view.is_at_work, workload);
  const Ending ending = ending_of(job, pods, view);
  if (ending != Ending::none) view.state = State::running;
  if (ending == Ending::succeeds) {
    view.cause = "finishing";
    return view;
  }
  if (const auto part = workload ? partly_admitted(*workload) : std::nullopt;
      part && view.state == State::running && view.running == view.pods) {
    view.pods = part->second;
    view.cause = fmt::format("Kueue admitted {} of {} pods", part->first, part->second);
    return view;
  }
  if (view.state == State::cancelling || view.state == State::cancelled || view.state == State::suspended)
    if (const LostPods lost = lost_pods_among(pods); !lost.empty()) {
      view.cause = lost.brief();
      view.cause_code = view.state == State::suspended ? CauseCode::suspended : CauseCode::node_lost;
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
  view.cannot_start = view.state == State::waiting && cause.outlook == Outlook::never;
  view.cause = cause.brief;
  view.next_attempt = cause.next_attempt;
  view.last_failure = cause.last_failure;
  if (view.state == State::waiting) view.message = scheduler_message(pods);
  return view;
}

void say_that_kueue_is_missing(const Json& job, JobView& view) {
  if (view.state != State::waiting || !is_held_in_queue(job)) return;
  Facts facts{.job = job};
  facts.has_kueue = false;
  const Cause cause = std::move(causes_of(facts)[0]);
  view.cause_code = cause.code;
  view.cause = cause.brief;
  view.cannot_start = cause.outlook == Outlook::never;
}

bool waits_in_vain(const JobView& job) {
  return job.cannot_start && job.cause_code == CauseCode::dependency;
}

PodView view_of_pod(const Json& pod) {
  PodView view = basic_view_of_pod(pod);
  static const Json kUnknown = Json::object();
  if (const auto cause = pod_cause({.job = kUnknown}, pod)) {
    view.cause = cause->brief;
    view.cannot_start = cause->outlook == Outlook::never;
  }
  return view;
}

}  // namespace kml::job
