#include "kml/job/control/control.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "job/control/queue_hold.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/client/patch_all.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Whether the job ends as soon as its pods have ended. Any other job must be suspended, which deletes its
/// pods and their logs. An MPIJob, a JobSet or a TrainJob may start other pods, because its inner Jobs keep
/// their original number of retries.
bool ends_with_its_pods(const Json& job) {
  const std::string kind = api::kind_name(job);
  if (kind == "MPIJob") return api::backoff_limit_in(api::run_policy_of(job), -1) == 0;
  if (kind != "JobSet") return kind != "TrainJob";
  const Json& jobs = array_at(job, {"spec", "replicatedJobs"});
  return int_at(job, {"spec", "failurePolicy", "maxRestarts"}) == 0 &&
         std::all_of(jobs.begin(), jobs.end(), [](const Json& replicated) {
           return int_at(replicated, {"template", "spec", "backoffLimit"}, -1) == 0;
         });
}

/// Whether the job itself has a number of retries that can be changed.
bool has_retries(const Json& job) {
  const std::string kind = api::kind_name(job);
  return kind != "JobSet" && kind != "TrainJob";
}

/// Returns the job after the change.
Json patch(kube::Client& client, const Json& job, const Json& change) {
  return client.patch(client.kind_of(job), api::namespace_of(job), api::name_of(job), kube::PatchType::merge,
                      change);
}

/// If an earlier cancel was interrupted, it is repeated, because some pods may still be running. The original
/// time is kept.
void mark_cancelled(const Json& job, Json& change) {
  const std::string since = api::annotation_of(job, api::kCancelled);
  api::set_annotation(change, api::kCancelled, since.empty() ? rfc3339(system_clock().now()) : since);
}

/// Whether the job ended by itself before it was marked as cancelled. If so, removes the mark.
bool came_too_late(kube::Client& client, const Json& before, const Json& marked) {
  if (!has_ended(state_of(marked, true)) || !api::annotation_of(before, api::kCancelled).empty())
    return false;
  patch(client, marked, {{"metadata", {{"annotations", {{std::string(api::kCancelled), nullptr}}}}}});
  return true;
}

/// The merge patch with the annotation that keeps the value of the field that resuming restores. Empty if
/// there is no such field, or if the job is suspended already.
Json kept_value(const JobKind& kind, const Json& job) {
  const Json* path = find(kind.resume, {"restore"});
  Json change = Json::object();
  if (!path || state_of(job, false) == State::suspended) return change;
  if (const Json& value = ObjectPath(path->get<std::string>()).first(job); !value.is_null())
    api::set_annotation(change, api::kSuspendedValue, value.dump());
  return change;
}

/// The merge patch that undoes what kept_value() prepared. Throws usage Error if kml did not suspend the job.
Json restored_value(const Json& job, const std::string& path) {
  const Json value = Json::parse(api::annotation_of(job, api::kSuspendedValue), nullptr, false);
  if (value.is_discarded())
    throw usage_error("kml does not know the earlier " + path + " of job " + api::name_of(job),
                      "kml only keeps it if it suspends the job itself",
                      "kml submit --replace -f FILE, with its manifest");
  Json change = Json::object();
  change["metadata"]["annotations"][std::string(api::kSuspendedValue)] = nullptr;
  change[Json::json_pointer("/" + join(split(path, '.'), "/"))] = value;
  return change;
}

/// Sends the request that stops or starts a job of a described kind, and `marks`, a merge patch of the job.
/// Returns the job, after the change if there was one. Throws a usage Error if the description of the kind
/// has no such request.
Json act(kube::Client& client, const JobKind& kind, const Json& job, const Json& action,
         const std::string& verb, Json marks = Json::object()) {
  if (action.is_null())
    throw usage_error(fmt::format("kml cannot {} jobs of kind {}", verb, kind.name),
                      "the description of its kind does not say how",
                      fmt::format("`kml delete {}` removes it; `kml kind show {}` prints the description",
                                  api::name_of(job), kind.name));
  const Json filled = filled_action(action, job);
  if (const Json* object = find(filled, {"create"}))
    client.create(client.kind_of(*object), api::namespace_of(job), *object);
  // merge_patch() would drop a null, which removes a field of the job.
  if (const Json* change = find(filled, {"patch"})) marks.update(*change, true);
  if (const Json* path = find(filled, {"restore"}))
    marks.update(restored_value(job, path->get<std::string>()), true);
  return marks.empty() ? job : patch(client, job, marks);
}

/// The job's pods. If the user may not read them, throws Error if they are `needed`, otherwise returns none.
std::vector<Json> pods_to_stop(kube::Client& client, const Json& job, bool needed) try {
  return pods_of(client, job);
} catch (const Error& error) {
  constexpr int kForbidden = 403;
  if (needed || error.http_status != kForbidden) throw;
  return {};
}

void tell_of_lost(const std::vector<Json>& pods, const OnPod& on_lost) {
  for (const Json& pod : pods)
    if (is_on_lost_node(pod)) on_lost(pod);
}

Cancel cancel_described(kube::Client& client, const JobKind& kind, const Json& job) {
  const State before = state_of(job, false);
  if (has_ended(before)) return Cancel::ended;
  Json marks = Json::object();
  mark_cancelled(job, marks);
  if (deactivate(client, job) != QueueHold::not_in_queue) {
    patch(client, job, marks);
    return Cancel::by_queue;
  }
  const Json marked = act(client, kind, job, kind.cancel, "cancel", std::move(marks));
  if (came_too_late(client, job, marked)) return Cancel::ended;
  return before == State::cancelling ? Cancel::again : Cancel::done;
}

/// The running pods whose end also ends the job. Includes an MPIJob's workers only once its launcher runs:
/// until then, the MPIJob would start other workers. Leaves out pods on nodes that do not answer: no kubelet
/// ends them, and when the cluster deletes them, the job would replace them.
std::vector<std::string> names_of_running(const Json& job, const std::vector<Json>& pods) {
  std::vector<std::string> names;
  bool is_at_work = api::kind_name(job) != "MPIJob";
  for (const Json& pod : pods) {
    if (api::phase_of(pod) != "Running" || api::is_being_deleted(pod) || is_on_lost_node(pod)) continue;
    names.push_back(api::name_of(pod));
    is_at_work = is_at_work || api::label_of(pod, api::kJobRole) == "launcher";
  }
  return is_at_work ? names : std::vector<std::string>();
}

}  // namespace

Json run_policy_patch(const Json& job, Json fields) {
  return api::api_version_of(job).starts_with("kubeflow.org/")
             ? Json{{"spec", {{"runPolicy", std::move(fields)}}}}
             : Json{{"spec", std::move(fields)}};
}

void suspend(kube::Client& client, const Json& job) {
  if (deactivate(client, job) != QueueHold::not_in_queue) return;
  if (const JobKind* kind = described_kind_of(job))
    return static_cast<void>(act(client, *kind, job, kind->suspend, "suspend", kept_value(*kind, job)));
  Json change = run_policy_patch(job, {{"suspend", true}});
  if (!api::annotation_of(job, api::kAfter).empty())
    api::set_annotation(change, api::kHeld, rfc3339(system_clock().now()));
  patch(client, job, change);
}

Resume resume(kube::Client& client, const Json& job) {
  const QueueHold in_queue = activate(client, job);
  if (in_queue == QueueHold::changed) return Resume::queued;
  if (in_queue == QueueHold::unchanged) return Resume::waits;
  if (const JobKind* kind = described_kind_of(job)) {
    act(client, *kind, job, kind->resume, "resume");
    return Resume::done;
  }
  const bool waits = !api::annotation_of(job, api::kAfter).empty(),
             is_held = !api::annotation_of(job, api::kHeld).empty();
  Json change = Json::object();
  if (is_held) change["metadata"]["annotations"][std::string(api::kHeld)] = nullptr;
  if (!waits || !is_held) change.merge_patch(run_policy_patch(job, {{"suspend", false}}));
  // A job that waits for other jobs, and was not held by suspend(), starts without them.
  if (waits && !is_held) change["metadata"]["annotations"][std::string(api::kAfter)] = nullptr;
  patch(client, job, change);
  return waits && is_held ? Resume::after : Resume::done;
}

void wait_until_stopped(kube::Client& client, const Json& job) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest{60'000}, kPause{200};
  const auto until = client.transport().now() + kLongest;
  const auto is_stopping = [](const Json& pod) {
    return api::pod_has_ended(pod) || api::is_being_deleted(pod);
  };
  while (true) {
    const auto now = client.get_if_exists(client.kind_of(job), api::namespace_of(job), api::name_of(job));
    if (!now || api::uid_of(*now) != api::uid_of(job)) return;
    const std::vector<Json> pods = pods_of(client, *now);
    const State state = state_of(*now, false);
    const bool is_held =
        api::is_suspended(*now) || state == State::suspended || has_ended(state_of(*now, true));
    if (is_held && std::all_of(pods.begin(), pods.end(), is_stopping)) return;
    if (client.transport().now() >= until)
      throw Error(ErrorCode::unreachable, "job " + api::name_of(job) + " has not stopped after a minute",
                  "Kueue should suspend it, because its Workload is inactive",
                  "kml why " + api::name_of(job));
    client.transport().wait(kPause);
  }
}

namespace {

/// Lets the kubelet end the pods. Returns whether the user may do that.
bool end_pods(kube::Client& client, const Json& job, const std::vector<std::string>& names) try {
  kube::patch_all(client, *api::find_kind("v1", "Pod"), api::namespace_of(job), names,
                  {{"spec", {{"activeDeadlineSeconds", 1}}}});
  return true;
} catch (const Error& error) {
  constexpr int kForbidden = 403;
  if (error.http_status != kForbidden) throw;
  return false;
}

}  // namespace

Cancel cancel(kube::Client& client, const Json& job, const OnPod& on_lost) {
  const State before = state_of(job, true);
  if (has_ended(before)) return Cancel::ended;
  const JobKind* kind = described_kind_of(job);
  const bool ends_with_pods = !kind && ends_with_its_pods(job);
  const std::vector<Json> pods =
      ends_with_pods || on_lost ? pods_to_stop(client, job, ends_with_pods) : std::vector<Json>();
  if (on_lost) tell_of_lost(pods, on_lost);
  if (kind) return cancel_described(client, *kind, job);
  std::vector<std::string> started;
  if (ends_with_pods) started = names_of_running(job, pods);
  // A preempted job is back in its queue while its pods are still stopping.
  const bool is_kueues =
      (started.empty() || api::is_suspended(job)) && deactivate(client, job) != QueueHold::not_in_queue;
  Json change = has_retries(job) ? run_policy_patch(job, {{"backoffLimit", 0}}) : Json::object();
  if (started.empty() && !is_kueues) change.merge_patch(run_policy_patch(job, {{"suspend", true}}));
  mark_cancelled(job, change);
  if (came_too_late(client, job, patch(client, job, change))) return Cancel::ended;

  // In an array, tasks that started before the job was patched must stop, too.
  if (!started.empty() && api::completions_of(job) > static_cast<long long>(started.size()))
    started = names_of_running(job, pods_of(client, job));
  if (!end_pods(client, job, started)) {
    patch(client, job, run_policy_patch(job, {{"suspend", true}}));
    return Cancel::without_logs;
  }
  if (is_kueues) return Cancel::by_queue;
  if (before != State::cancelling) return Cancel::done;
  const bool any_lost = std::ranges::any_of(pods, is_on_lost_node);
  return started.empty() && ends_with_pods && !any_lost ? Cancel::ended : Cancel::again;
}

TaskCancel cancel_task(kube::Client& client, const JobOrTask& named) {
  const api::ResourceKind& pod_kind = *api::find_kind("v1", "Pod");
  const PodsByJob pods(pods_of(client, named.job));
  const std::vector<const Json*> own = named.own(pods.of(named.job));
  const State before = state_of(named.as_job(own), true);
  if (has_ended(before)) return TaskCancel::ended;
  if (before == State::cancelling) return TaskCancel::again;
  if (int_at(named.job, {"spec", "backoffLimitPerIndex"}, 1) != 0) return TaskCancel::retried;
  const auto running =
      std::find_if(own.begin(), own.end(), [](const Json* pod) { return api::phase_of(*pod) == "Running"; });
  if (running == own.end()) return TaskCancel::waits;
  if (is_on_lost_node(**running)) return TaskCancel::lost;
  const Json mark = {{std::string(api::kCancelled), rfc3339(system_clock().now())}};
  client.patch(pod_kind, api::namespace_of(named.job), api::name_of(**running), kube::PatchType::merge,
               {{"metadata", {{"annotations", mark}}}, {"spec", {{"activeDeadlineSeconds", 1}}}});
  return TaskCancel::done;
}

void remove(kube::Client& client, const Json& job) {
  client.remove(client.kind_of(job), api::namespace_of(job), api::name_of(job),
                {kube::Propagation::background, {}, api::uid_of(job)});
}

}  // namespace kml::job
