#include "local/controllers/job_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/index_ranges.h"
#include "local/controllers/job_pods.h"
#include "local/controllers/job_spec.h"
#include "local/controllers/master_port.h"
#include "local/controllers/pod_template.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr const char* kJobComponent = "job-controller";
constexpr auto kLongestRetryDelay = 10min;
/// The node runs at most 110 pods at once. If a job had more than a thousand pods, each reconciliation would
/// only take longer.
constexpr int kMostPods = 1000;
/// How many pods are created, or deleted before they have started, until the server checks for requests
/// again.
constexpr int kPodsPerStep = 20;

/// The uids in status.uncountedTerminatedPods.succeeded or .failed.
Json& uncounted(Json& job, const char* outcome) {
  Json& list = job["status"]["uncountedTerminatedPods"][outcome];
  if (list.is_null()) list = Json::array();
  return list;
}

bool is_uncounted(Json& job, const std::string& uid) {
  for (const char* outcome : {"succeeded", "failed"}) {
    const Json& list = uncounted(job, outcome);
    if (std::find(list.begin(), list.end(), Json(uid)) != list.end()) return true;
  }
  return false;
}

/// Adds the pods in uncountedTerminatedPods to the counters.
void count_noted(Json& job) {
  const auto all = [&](long long counted, const char* outcome) {
    return counted + static_cast<long long>(uncounted(job, outcome).size());
  };
  job["status"].update({{"succeeded", all(api::succeeded_pods(job), "succeeded")},
                        {"failed", all(api::failed_pods(job), "failed")},
                        {"uncountedTerminatedPods", Json::object()}});
}

bool is_cancelled(const Json& job) {
  return !annotation_of(job, api::kCancelled).empty();
}

}  // namespace

struct JobController::Pods {
  std::vector<ObjectPtr> active, terminating, ended;
  size_t ready = 0;  ///< how many of the active pods are ready

  void forget_active() {
    active.clear();
    ready = 0;
  }
};

JobController::JobController(EventLoop& loop, Store& store, const Admission& admission, EventRecorder& events,
                             const Clock& clock, Settings settings)
    : store_(store),
      admission_(admission),
      events_(events),
      clock_(clock),
      settings_(settings),
      queue_(loop, [this](const std::string& uid) { look(uid); }),
      pods_(store) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void JobController::recover() {
  for (const ObjectPtr& job : store_.list(kinds::job, "")) {
    names_[uid_of(*job)] = {namespace_of(*job), name_of(*job)};
    queue_.add(uid_of(*job));
  }
  for (const ObjectPtr& pod : store_.list(kinds::pod, "")) {
    pods_.track(pod);
    if (has_finalizer(*pod, kTrackingFinalizer)) queue_.add(controller_uid(*pod));
  }
}

void JobController::on_event(const StoreEvent& event) {
  const Json& object = *event.object;
  if (event.kind == &kinds::job) {
    const std::string uid = uid_of(object);
    if (event.change != Change::deleted) {
      names_[uid] = {namespace_of(object), name_of(object)};
      queue_.add(uid);
    } else {
      names_.erase(uid);
      std::erase_if(failures_, [&](const auto& entry) { return entry.first.first == uid; });
      pods_.forget_job(uid);
      queue_.forget(uid);
      queue_.add(uid);  // the pod's finalizer must be removed
    }
  } else if (event.kind == &kinds::pod) {
    if (event.previous) pods_.forget(*event.previous);  // the pod may have had a different controller before
    if (event.change != Change::deleted) pods_.track(event.object);
    const std::string owner = controller_uid(object);
    if (names_.contains(owner) || has_finalizer(object, kTrackingFinalizer)) queue_.add(owner);
    // A DELETE request orphaned the pod, so no job will count it.
    if (owner.empty() && event.change != Change::deleted && has_finalizer(object, kTrackingFinalizer))
      store_.modify(kinds::pod, namespace_of(object), name_of(object),
                    [](Json& pod) { remove_finalizer(pod, kTrackingFinalizer); });
  }
}

void JobController::look(const std::string& uid) {
  auto it = names_.find(uid);
  if (it == names_.end()) return release_orphans(uid);
  ObjectPtr job = store_.get(kinds::job, it->second.first, it->second.second);
  if (job && uid_of(*job) == uid) look_at(*job);
}

void JobController::release_orphans(const std::string& uid) {
  for (const auto& [pod, has_ended, is_terminating, is_ready] : pods_.open(uid))
    if (has_finalizer(*pod, kTrackingFinalizer))
      store_.modify(kinds::pod, namespace_of(*pod), name_of(*pod),
                    [](Json& next) { remove_finalizer(next, kTrackingFinalizer); });
}

void JobController::look_at(const Json& stored) {
  Json job = stored;
  Pods pods;
  for (JobPodIndex::OpenPod& open : pods_.open(uid_of(job))) {
    auto& group = open.has_ended ? pods.ended : open.is_terminating ? pods.terminating : pods.active;
    group.push_back(std::move(open.pod));
    pods.ready += &group == &pods.active && open.is_ready;
  }
  account(job, pods);
  if (is_finished(job)) {
    delete_pods(pods.active, pods.active.size(), "");
    return save(job);
  }
  if (is_being_deleted(job)) return save(job);
  suspend_or_resume(job, pods);
  decide(job, pods);
  if (api::condition_is_true(job, "SuccessCriteriaMet") || api::condition_is_true(job, "FailureTarget"))
    wind_up(job, pods);
  else if (is_cancelled(job))
    end_waiting_pods(pods);
  else if (!api::is_suspended(job))
    manage_pods(job, pods);
  job["status"].update(
      {{"active", pods.active.size()}, {"terminating", pods.terminating.size()}, {"ready", pods.ready}});
  save(job);
}

/// Counts the pods that have ended since the last call.
void JobController::account(Json& job, Pods& pods) {
  bool noted = false;
  for (const ObjectPtr& pod : pods.ended) {
    if (!has_finalizer(*pod, kTrackingFinalizer) || is_uncounted(job, uid_of(*pod))) continue;
    note_end(job, *pod);
    noted = true;
  }
  if (noted) save(job);
  for (const ObjectPtr& pod : pods.ended)
    if (has_finalizer(*pod, kTrackingFinalizer))
      store_.modify(kinds::pod, namespace_of(*pod), name_of(*pod),
                    [](Json& next) { remove_finalizer(next, kTrackingFinalizer); });
  count_noted(job);
  if (api::is_indexed(job))
    job["status"]["succeeded"] = IndexRanges::parse(api::completed_indexes(job)).count();
}

void JobController::note_end(Json& job, const Json& pod) {
  const int index = completion_index(pod);
  auto add_index = [&](const char* field) {
    Json& list = job["status"][field];
    IndexRanges indexes = IndexRanges::parse(list.is_string() ? list.get<std::string>() : "");
    indexes.add(index);
    list = indexes.text();
  };
  // If a pod was deleted by a suspension, Kubernetes counts it neither as succeeded nor as failed.
  if (is_being_deleted(pod) && was_ended_by_controller(pod)) return;
  const Json* per_index = api::is_indexed(job) ? find(job, {"spec", "backoffLimitPerIndex"}) : nullptr;
  const std::pair<std::string, int> whose(uid_of(job), per_index ? index : -1);
  if (phase_of(pod) == "Succeeded") {
    uncounted(job, "succeeded").push_back(uid_of(pod));
    failures_.erase(whose);
    if (api::is_indexed(job)) add_index("completedIndexes");
    return;
  }
  if (was_ended_by_controller(pod)) return;
  const FailureVerdict verdict = judge_failure(job, pod);
  if (verdict.action == FailureVerdict::ignore) return;
  uncounted(job, "failed").push_back(uid_of(pod));
  if (verdict.action == FailureVerdict::fail_job)
    set_condition(job, "FailureTarget", true, "PodFailurePolicy", verdict.message, rfc3339(clock_.now()));
  if (per_index &&
      (verdict.action == FailureVerdict::fail_index || index_failures(pod) >= per_index->get<int64_t>())) {
    add_index("failedIndexes");
    failures_.erase(whose);
    return;
  }
  Failures& failures = failures_[whose];
  ++failures.in_a_row;
  failures.last = clock_.now();
}

/// Decides whether the job has succeeded or failed, and adds the condition.
void JobController::decide(Json& job, const Pods& pods) {
  if (api::condition_is_true(job, "FailureTarget") || api::condition_is_true(job, "SuccessCriteriaMet"))
    return;
  const JobVerdict verdict = judge_job(job, pods.active, clock_.now());
  const std::string now = rfc3339(clock_.now());
  if (verdict.succeeded)
    set_condition(job, "SuccessCriteriaMet", true, verdict.reason, verdict.message, now);
  else if (!verdict.reason.empty())
    set_condition(job, "FailureTarget", true, verdict.reason, verdict.message, now);
  else if (verdict.look_again_in)
    queue_.add_after(uid_of(job), *verdict.look_again_in);
}

/// Ends the pods that are still running, then marks the job as finished.
void JobController::wind_up(Json& job, Pods& pods) {
  const bool succeeded = api::condition_is_true(job, "SuccessCriteriaMet");
  const api::Condition decided = api::condition(job, succeeded ? "SuccessCriteriaMet" : "FailureTarget");
  const std::string reason = decided.reason(), message = decided.message();
  if (succeeded)
    delete_pods(pods.active, pods.active.size(), "");
  else
    for (const ObjectPtr& pod : pods.active) end_pod(store_, *pod, clock_.now(), reason);
  pods.forget_active();
  if (!pods.terminating.empty()) return;
  for (const JobPodIndex::OpenPod& open : pods_.open(uid_of(job)))
    if (!open.has_ended) return;
  const std::string now = rfc3339(clock_.now());
  set_condition(job, succeeded ? "Complete" : "Failed", true, reason, message, now);
  if (succeeded) job["status"]["completionTime"] = now;
  events_.record(job, succeeded ? "Normal" : "Warning", succeeded ? "Completed" : reason,
                 succeeded ? "Job completed" : message, kJobComponent);
}

void JobController::suspend_or_resume(Json& job, Pods& pods) {
  const bool suspend = api::is_suspended(job), suspended = api::condition_is_true(job, "Suspended");
  const std::string now = rfc3339(clock_.now());
  Json& status = job["status"];
  if (suspend) {
    delete_pods(pods.active, pods.active.size(), "Suspended");
    pods.forget_active();
    if (suspended) return;
    set_condition(job, "Suspended", true, "JobSuspended", "Job suspended", now);
    events_.record(job, "Normal", "Suspended", "Job suspended", kJobComponent);
    return;
  }
  // A suspended job keeps its startTime; a resumed job gets a new one.
  if (suspended || !status.contains("startTime")) status["startTime"] = now;
  if (!suspended) return;
  set_condition(job, "Suspended", false, "JobResumed", "Job resumed", now);
  events_.record(job, "Normal", "Resumed", "Job resumed", kJobComponent);
}

/// In a job that is being cancelled, only pods that are already running may continue, until their deadline.
void JobController::end_waiting_pods(Pods& pods) {
  int left = kPodsPerStep;
  std::erase_if(pods.active, [&](const ObjectPtr& pod) {
    if (left == 0 || phase_of(*pod) != "Pending") return false;
    --left;
    delete_pod(store_, *pod, clock_.now(), "Suspended");
    return true;
  });
}

/// How long the next pod must still wait after failures. `index` is -1 for a job whose indexes have no limits
/// of their own.
nanoseconds JobController::delay_left(const Json& job, int index) const {
  const auto found = failures_.find({uid_of(job), index});
  if (found == failures_.end()) return 0ns;
  const int doublings = std::min(found->second.in_a_row - 1, 16);
  const auto delay = std::min<nanoseconds>(settings_.retry_delay * (1 << doublings), kLongestRetryDelay);
  return found->second.last + delay - clock_.now();
}

/// Creates or deletes pods until the job has as many as it should. A terminating pod is still counted, so
/// that two attempts never run at the same time.
void JobController::manage_pods(Json& job, Pods& pods) {
  const int wanted = std::min(kMostPods, wanted_pods(job, static_cast<int>(pods.active.size())));
  const int present = static_cast<int>(pods.active.size() + pods.terminating.size());
  if (static_cast<int>(pods.active.size()) > wanted)
    return delete_pods(pods.active, pods.active.size() - static_cast<size_t>(wanted), "");
  if (present >= wanted) return;
  if (const nanoseconds left = delay_left(job, -1); left > 0ns) return queue_.add_after(uid_of(job), left);
  std::set<int> taken;
  for (const auto* group : {&pods.active, &pods.terminating})
    for (const ObjectPtr& pod : *group) taken.insert(completion_index(*pod));
  if (has_named_pods(job) && annotation_of(job, kMasterPort).empty()) choose_port(job);
  make_pods(job, wanted - present, taken);
}

void JobController::choose_port(Json& job) {
  const std::string key(kMasterPort), port = std::to_string(choose_master_port(store_));
  api::set_annotation(job, key, port);
  store_.modify(kinds::job, namespace_of(job), name_of(job), [&](Json& next) {
    if (uid_of(next) == uid_of(job)) api::set_annotation(next, key, port);
  });
}

void JobController::make_pods(const Json& job, int count, const std::set<int>& taken) {
  try {
    const int now = std::min(count, kPodsPerStep);
    if (api::is_indexed(job))
      make_indexed_pods(job, now, taken);
    else
      for (int i = 0; i < now; ++i) make_pod(job, -1);
  } catch (const Error& error) {
    if (error.http_status == 0) throw;
    events_.record(job, "Warning", "FailedCreate", "Error creating: " + error.message, kJobComponent);
    queue_.add_after(uid_of(job), 5s);
  }
}

/// As in Kubernetes, the next indexes include indexes that must wait after a failure. If no other index can
/// start, looks again when the first waiting index may start.
void JobController::make_indexed_pods(const Json& job, int count, const std::set<int>& taken) {
  nanoseconds shortest = nanoseconds::max();
  bool has_made = false;
  for (int index : open_indexes(job, taken, static_cast<size_t>(count))) {
    const nanoseconds left = delay_left(job, index);
    if (left > 0ns) {
      shortest = std::min(shortest, left);
    } else {
      make_pod(job, index);
      has_made = true;
    }
  }
  if (!has_made && shortest != nanoseconds::max()) queue_.add_after(uid_of(job), shortest);
}

void JobController::make_pod(const Json& job, int index) {
  std::vector<ObjectPtr> failed;
  if (find(job, {"spec", "backoffLimitPerIndex"})) failed = pods_.failed(job, index);
  Json pod = job_pod(job, index, failed, store_);
  admission_.admit_new(kinds::pod, pod);
  store_.create(kinds::pod, pod);
  events_.record(job, "Normal", "SuccessfulCreate", "Created pod: " + name_of(pod), kJobComponent);
}

/// Deletes the youngest pods first, because they have done the least work.
void JobController::delete_pods(std::vector<ObjectPtr>& active, size_t count, const std::string& reason) {
  std::stable_sort(active.begin(), active.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return api::started_at(*a).value_or(Time::max()) > api::started_at(*b).value_or(Time::max());
  });
  for (size_t i = 0; i < count && i < active.size(); ++i)
    delete_pod(store_, *active[i], clock_.now(), reason);
}

/// Only writes the status. Other fields keep the values that clients have written in the meantime.
void JobController::save(Json& job) {
  store_.modify(kinds::job, namespace_of(job), name_of(job), [&](Json& next) {
    if (uid_of(next) == uid_of(job)) next["status"] = job["status"];
  });
}

}  // namespace kml::local
