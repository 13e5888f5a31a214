#include "job/queue/entry.h"

#include <algorithm>

#include "job/capacity/devices.h"
#include "job/capacity/kueue_api.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

using std::chrono::seconds;

/// Every cluster has this priority class. If it is missing from what kml has read, the user may not read
/// priority classes.
constexpr const char* kAlwaysThere = "system-node-critical";

/// The creation time of the oldest pod without a node. The scheduler orders pods, not jobs, so this pod
/// decides.
Time oldest_waiting_pod(const std::vector<Json>& pods, Time fallback) {
  std::optional<Time> oldest;
  for (const Json& pod : pods) {
    if (!api::node_of(pod).empty()) continue;
    const auto created = api::created_at(pod);
    if (created && (!oldest || *created < *oldest)) oldest = created;
  }
  return oldest.value_or(fallback);
}

bool holds_node(const Json& pod) {
  return !api::node_of(pod).empty() && !api::pod_has_ended(pod);
}

/// A view of pods whose job does not exist or is not readable.
JobView view_of_pods(const std::vector<Json>& pods, const std::string& key) {
  JobView view;
  const KeyParts parts = parts_of_key(key);
  view.kind = parts.kind;
  view.name = parts.name;
  const Json* controller = pods.empty() ? nullptr : api::controller_of(pods[0]);
  if (controller && is_label(key)) {
    view.kind = shown_kind(*controller);
    view.name = api::entry_name(*controller);
  }
  bool any_goes_on = false;
  for (const Json& pod : pods) {
    const PodView own = view_of_pod(pod);
    if (own.phase == "Succeeded" || own.phase == "Failed") continue;
    any_goes_on = true;
    ++view.pods;
    view.gpus += gpus_of_pod(api::spec_of(pod));
    view.namespace_name = api::namespace_of(pod);
    if (view.user.empty()) view.user = api::label_of(pod, api::kUser);
    const auto created = api::created_at(pod);
    if (created && (view.created == Time() || *created < view.created)) view.created = *created;
    view.add_node(own.node);
    const bool is_stopping = api::is_being_deleted(pod) && holds_node(pod);
    if (is_stopping) view.cause = own.cause;
    if (own.phase == "Running" || is_stopping) {
      ++view.running;
      if (own.started && (!view.started || *own.started < *view.started)) view.started = own.started;
    } else if (view.cause.empty()) {
      view.cause = own.cause;
      view.cannot_start = own.cannot_start;
      view.message = api::condition(pod, "PodScheduled").message();
    }
  }
  view.completions = view.pods;
  view.state = !any_goes_on ? State::succeeded : view.running > 0 ? State::running : State::waiting;
  view.cannot_start = view.cannot_start && view.state == State::waiting;
  return view;
}

std::optional<Time> later(std::optional<Time> start, long long limit) {
  return start && limit > 0 ? std::optional(*start + seconds(limit)) : std::nullopt;
}

std::optional<Time> earlier_of(std::optional<Time> a, std::optional<Time> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// How much of the Workload's execution time was left when Kueue last admitted the Workload, in seconds; 0 if
/// the Workload has no limit.
long long time_left_by_kueue(const Json& workload) {
  const long long limit = int_at(workload, {"spec", "maximumExecutionTimeSeconds"});
  return limit > 0 ? std::max(limit - past_admitted_seconds(workload), 1LL) : 0;
}

/// The earliest of three time limits: the job's own, its pods', and Kueue's.
std::optional<Time> time_limit(const QueueRecord& record, const JobView& view) {
  std::optional<Time> of_pods;  // the job runs until its last pod reaches its limit
  bool all_limited = true;
  for (const Json& pod : record.pods) {
    if (!holds_node(pod)) continue;
    const auto end = later(api::started_at(pod), api::deadline_in(api::spec_of(pod)));
    all_limited = all_limited && end;
    if (end && (!of_pods || *end > *of_pods)) of_pods = end;
  }
  if (!all_limited) of_pods.reset();
  const auto started = api::started_at(record.job);
  std::optional<Time> end = of_pods;
  for (const Json* limited : {&api::spec_of(record.job), &api::run_policy_of(record.job)})
    end = earlier_of(end, later(started ? started : view.started, api::deadline_in(*limited)));
  if (const api::Condition admitted = api::condition(record.workload, "Admitted"))
    end = earlier_of(end, later(admitted.since(), time_left_by_kueue(record.workload)));
  return end;
}

/// The end time that a training reports to Kubeflow Trainer.
std::optional<Time> told_end(const Json& job) {
  const Json& status = object_at(job, {"status", "trainerStatus"});
  return later(api::time_at(status, {"lastUpdatedTime"}), int_at(status, {"estimatedRemainingSeconds"}));
}

std::string gpu_type_of(const QueueRecord& record) {
  std::string type = asked_gpu_type(record.job);
  if (type.empty() && !record.pods.empty()) type = gpu_type_of_pod(api::spec_of(record.pods[0]));
  return type;
}

/// Adds the job's place in Kueue: queue, priority and order. Kueue decides the order until it admits the job.
void add_kueue(const QueueRecord& record, QueueEntry& entry) {
  entry.queue =
      string_at(record.workload, {"spec", "queueName"}, api::label_of(record.job, api::kKueueQueue));
  entry.cluster_queue = string_at(record.workload, {"status", "admission", "clusterQueue"});
  if (record.workload.is_null() || entry.queue.empty()) return;
  entry.priority = int_at(record.workload, {"spec", "priority"}, entry.priority);
  if (entry.job.state != State::waiting || !api::is_suspended(record.job)) return;
  const api::Condition evicted = api::condition(record.workload, "Evicted");
  entry.waiting_since =
      (evicted.is_true() ? evicted.since() : api::created_at(record.workload)).value_or(entry.waiting_since);
}

}  // namespace

QueueEntry entry_of(const QueueRecord& record, const std::string& key, const Priorities& priorities,
                    bool lacks_kueue) {
  QueueEntry entry;
  if (record.job.is_null()) {
    entry.job = view_of_pods(record.pods, key);
  } else {
    std::vector<const Json*> pods;
    for (const Json& pod : record.pods) pods.push_back(&pod);
    entry.job = view_of_job(record.job, pods, record.workload.is_null() ? nullptr : &record.workload);
    if (lacks_kueue) say_that_kueue_is_missing(record.job, entry.job);
  }
  if (has_ended(entry.job.state)) return entry;
  const auto priority = priorities.find(entry.job.priority_class);
  if (priority != priorities.end()) {
    entry.priority = priority->second.value;
    entry.may_preempt = priority->second.may_preempt;
  } else if (priorities.contains(kAlwaysThere) && entry.job.cause_code == CauseCode::no_pods) {
    entry.job.cause = "no priority class " + entry.job.priority_class;
    entry.job.cause_code = CauseCode::priority_class_missing;
    entry.job.cannot_start = true;
  }
  if (!record.pods.empty()) entry.priority = int_at(record.pods[0], {"spec", "priority"}, entry.priority);
  entry.waiting_since = oldest_waiting_pod(record.pods, entry.job.created);
  entry.gpu_type = gpu_type_of(record);
  entry.restarts = entry.job.failed;
  const auto goes_on = [](const Json& pod) { return holds_node(pod) && !api::is_being_deleted(pod); };
  entry.is_stopping = std::any_of(record.pods.begin(), record.pods.end(), holds_node) &&
                      std::none_of(record.pods.begin(), record.pods.end(), goes_on);
  for (const Json& pod : record.pods) {
    if (holds_node(pod)) entry.gpus_held += gpus_of_pod(api::spec_of(pod));
    for (const Json& container : api::container_statuses(pod))
      entry.restarts += static_cast<int>(api::restart_count(container));
    const std::string name = api::name_of(pod);
    if (api::phase_of(pod) == "Running" && (entry.first_pod.empty() || name < entry.first_pod))
      entry.first_pod = name;
  }
  add_kueue(record, entry);
  if (has_running_pods(entry.job.state)) {
    entry.ends_by = time_limit(record, entry.job);
    entry.ends_at = told_end(record.job);
  }
  return entry;
}

}  // namespace kml::job
