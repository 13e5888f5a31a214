#include "local/controllers/pytorchjob_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/error.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/controllers/master_port.h"
#include "local/controllers/pod_template.h"
#include "local/controllers/pytorchjob_pods.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr const char* kPyTorchJobComponent = "pytorchjob-controller";
/// an annotation with the number of failed pods replaced so far
constexpr std::string_view kRestarts = "kml.dev/restarts";
constexpr auto kLongestDelay = 60s;

std::string policy_of(const Json& job, const std::string& type) {
  return api::restart_policy_in(object_at(api::replicas_of(job), {type}), "OnFailure");
}

/// The exit code of the first container that failed in the pod; 0 if none has failed.
long long failed_exit_code(const Json& pod) {
  for (const Json& status : api::container_statuses(pod))
    if (const Json* end = api::terminated_in(status); end && api::exit_code_of(*end) != 0)
      return api::exit_code_of(*end);
  return 0;
}

long long restarts_of(const Json& job) {
  return std::atoll(annotation_of(job, kRestarts).c_str());
}

/// Whether this replica decides if the job succeeds: the master does or, if there is none, the first worker.
bool decides(const Json& job, const std::string& type) {
  return type == (replica_count(job, "Master") > 0 ? "Master" : "Worker");
}

}  // namespace

PyTorchJobController::PyTorchJobController(EventLoop& loop, Store& store, const Dependents& dependents,
                                           const Admission& admission, EventRecorder& events,
                                           const Clock& clock)
    : store_(store),
      dependents_(dependents),
      admission_(admission),
      events_(events),
      clock_(clock),
      queue_(loop, [this](const std::string& uid) { look(uid); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void PyTorchJobController::recover() {
  for (const ObjectPtr& job : store_.list(kinds::pytorchjob, ""))
    on_event({0, Change::added, &kinds::pytorchjob, job, nullptr});
}

void PyTorchJobController::on_event(const StoreEvent& event) {
  const std::string uid = uid_of(*event.object);
  if (event.kind == &kinds::pytorchjob) {
    if (event.change == Change::deleted) {
      names_.erase(uid);
      not_before_.erase(uid);
      return queue_.forget(uid);
    }
    names_[uid] = {namespace_of(*event.object), name_of(*event.object)};
    queue_.add(uid);
  } else if (event.kind == &kinds::pod) {
    if (std::string owner = controller_uid(*event.object); names_.contains(owner)) queue_.add(owner);
  }
}

void PyTorchJobController::look(const std::string& uid) {
  auto it = names_.find(uid);
  if (it == names_.end()) return;
  ObjectPtr job = store_.get(kinds::pytorchjob, it->second.first, it->second.second);
  if (job && uid_of(*job) == uid && !is_being_deleted(*job)) look_at(*job);
}

void PyTorchJobController::look_at(const Json& stored) {
  Json job = stored;
  const std::vector<Replica> replicas = replicas_of(job);
  if (is_finished(job)) return clean(job, replicas);
  if (!api::condition(job, "Created"))
    set_state(job, "Created", fmt::format("PyTorchJob {} is created.", name_of(job)));
  if (api::is_suspended(job)) {
    suspend(job, replicas);
    return save(job);
  }
  if (api::condition_is_true(job, "Suspended"))
    set_condition(job, "Suspended", false, "PyTorchJobResumed",
                  fmt::format("PyTorchJob {} is resumed.", name_of(job)), rfc3339(clock_.now()));
  if (!api::started_at(job)) job["status"]["startTime"] = rfc3339(clock_.now());
  if (annotation_of(job, kMasterPort).empty()) choose_port(job);
  settle(job, replicas);
  if (!is_finished(job)) check_limits(job, replicas);
  if (!is_finished(job)) make_missing(job, replicas);
  if (is_finished(job)) clean(job, replicas);
  save(job);
}

std::vector<PyTorchJobController::Replica> PyTorchJobController::replicas_of(const Json& job) const {
  std::vector<Replica> replicas;
  for (const char* type : {"Master", "Worker"})
    for (int index = 0; index < replica_count(job, type); ++index) replicas.push_back({type, index, nullptr});
  for (const ObjectPtr& pod : dependents_.of(uid_of(job), &kinds::pod)) {
    const bool master = api::label_of(*pod, api::kReplicaType) == "master";
    const int index = std::atoi(api::label_of(*pod, api::kReplicaIndex).c_str());
    for (Replica& replica : replicas)
      if ((replica.type == "Master") == master && replica.index == index) replica.pod = pod;
  }
  return replicas;
}

/// Sets the job's status from its pods.
void PyTorchJobController::settle(Json& job, const std::vector<Replica>& replicas) {
  Json statuses = Json::object();
  bool running = false;
  for (const Replica& replica : replicas) {
    Json& counts = statuses[replica.type];
    if (counts.is_null()) counts = {{"active", 0}, {"succeeded", 0}, {"failed", 0}};
    if (!replica.pod) continue;
    const std::string phase = phase_of(*replica.pod);
    const char* count = phase == "Succeeded" ? "succeeded" : phase == "Failed" ? "failed" : "active";
    counts[count] = counts[count].get<int>() + 1;
    running = running || (phase == "Running" && decides(job, replica.type));
  }
  job["status"]["replicaStatuses"] = statuses;
  for (const Replica& replica : replicas)
    if (replica.pod && decides(job, replica.type) && replica.index == 0 &&
        phase_of(*replica.pod) == "Succeeded") {
      set_state(job, "Succeeded", fmt::format("PyTorchJob {} is successfully completed.", name_of(job)));
      return;
    }
  for (const Replica& replica : replicas)
    if (!is_finished(job) && replica.pod && phase_of(*replica.pod) == "Failed") restart_or_fail(job, replica);
  if (running && !is_finished(job) && !api::condition_is_true(job, "Running"))
    set_state(job, "Running", fmt::format("PyTorchJob {} is running.", name_of(job)));
}

void PyTorchJobController::restart_or_fail(Json& job, const Replica& replica) {
  const Json& pod = *replica.pod;
  // The pod was preempted or the machine was restarted, so the pod is replaced once it is deleted.
  const bool disrupted = api::condition_is_true(pod, "DisruptionTarget");
  if (is_being_deleted(pod)) return;
  if (disrupted) return delete_pod(store_, pod, clock_.now(), "");
  const std::string policy = policy_of(job, replica.type);
  const long long code = failed_exit_code(pod);
  const bool deadline = api::status_reason(pod) == "DeadlineExceeded";
  const long long restarts = restarts_of(job) + 1;
  const bool allowed = restarts <= api::backoff_limit_in(api::run_policy_of(job), restarts);
  const bool retry =
      !deadline && allowed && (policy == "ExitCode" ? code >= 128 && code != 128 : policy != "Never");
  if (!retry) {
    set_state(
        job, "Failed",
        fmt::format("PyTorchJob {} is failed because 1 {} replica(s) failed.", name_of(job), replica.type));
    return;
  }
  api::set_annotation(job, kRestarts, std::to_string(restarts));
  const auto delay =
      std::min<nanoseconds>(1s * (1LL << std::min<long long>(restarts - 1, 10)), kLongestDelay);
  not_before_[uid_of(job)] = clock_.now() + delay;
  set_state(
      job, "Restarting",
      fmt::format("PyTorchJob {} is restarting because 1 {} replica(s) failed.", name_of(job), replica.type));
  save(job);
  delete_pod(store_, pod, clock_.now(), "");
}

void PyTorchJobController::check_limits(Json& job, const std::vector<Replica>& replicas) {
  long long restarts = restarts_of(job);
  for (const Replica& replica : replicas)
    if (replica.pod)
      for (const Json& status : api::container_statuses(*replica.pod)) restarts += api::restart_count(status);
  const Json* limit = find(job, {"spec", "runPolicy", "backoffLimit"});
  if (limit && limit->is_number_integer() && restarts > limit->get<long long>())
    return set_state(
        job, "Failed",
        fmt::format("PyTorchJob {} has failed because it has reached the specified backoff limit",
                    name_of(job)),
        "BackoffLimitExceeded");
  const Json* deadline = find(job, {"spec", "runPolicy", "activeDeadlineSeconds"});
  const auto begin = api::started_at(job);
  if (!deadline || !deadline->is_number_integer() || !begin) return;
  const nanoseconds left = *begin + std::chrono::seconds(deadline->get<int64_t>()) - clock_.now();
  if (left > 0ns) return queue_.add_after(uid_of(job), left);
  set_state(job, "Failed",
            fmt::format("PyTorchJob {} has failed because it was active longer than specified deadline",
                        name_of(job)),
            "DeadlineExceeded");
}

void PyTorchJobController::make_missing(Json& job, const std::vector<Replica>& replicas) {
  if (auto it = not_before_.find(uid_of(job)); it != not_before_.end()) {
    const nanoseconds left = it->second - clock_.now();
    if (left > 0ns) return queue_.add_after(uid_of(job), left);
    not_before_.erase(it);
  }
  const auto ended = std::count_if(replicas.begin(), replicas.end(), [](const Replica& replica) {
    return replica.pod && phase_of(*replica.pod) == "Succeeded";
  });
  for (const Replica& replica : replicas) {
    if (replica.pod) continue;
    try {
      Json pod =
          pytorchjob_pod(job, replica.type, replica.index, replicas.size() - static_cast<size_t>(ended));
      admission_.admit_new(kinds::pod, pod);
      store_.create(kinds::pod, pod);
      events_.record(job, "Normal", "SuccessfulCreatePod", "Created pod: " + name_of(pod),
                     kPyTorchJobComponent);
    } catch (const Error& error) {
      if (error.http_status == 0) throw;
      events_.record(job, "Warning", "FailedCreatePod", "Error creating: " + error.message,
                     kPyTorchJobComponent);
      return queue_.add_after(uid_of(job), 5s);
    }
  }
}

void PyTorchJobController::clean(const Json& job, const std::vector<Replica>& replicas) {
  const std::string policy = string_at(api::run_policy_of(job), {"cleanPodPolicy"}, "None");
  // The other pods of a failed job would wait for the lost one. The training operator leaves them running,
  // and they hold their GPUs; this server ends them.
  if (policy == "None" && api::condition_is_true(job, "Failed"))
    for (const Replica& replica : replicas)
      if (replica.pod) end_pod(store_, *replica.pod, clock_.now(), "JobEnded");
  for (const Replica& replica : replicas)
    if (replica.pod && (policy == "All" || (policy == "Running" && !pod_has_ended(*replica.pod))))
      delete_pod(store_, *replica.pod, clock_.now(), pod_has_ended(*replica.pod) ? "" : "JobEnded");
}

void PyTorchJobController::suspend(Json& job, const std::vector<Replica>& replicas) {
  for (const Replica& replica : replicas)
    if (replica.pod)
      delete_pod(store_, *replica.pod, clock_.now(), pod_has_ended(*replica.pod) ? "" : "Suspended");
  job["status"].erase("startTime");
  if (!api::condition_is_true(job, "Suspended"))
    set_state(job, "Suspended", fmt::format("PyTorchJob {} is suspended.", name_of(job)));
}

/// Sets the condition, with the training operator's wording, and clears the conditions that it replaces.
void PyTorchJobController::set_state(Json& job, std::string_view type, std::string message,
                                     std::string_view reason) {
  const std::string now = rfc3339(clock_.now());
  const std::string usual = "PyTorchJob" + std::string(type);
  for (const char* other : {"Running", "Restarting"})
    if (const api::Condition condition = api::condition(job, other); type != other && condition.is_true())
      set_condition(job, other, false, condition.reason(), condition.message(), now);
  set_condition(job, type, true, reason.empty() ? usual : reason, message, now);
  Json& status = job["status"];
  for (Json& condition : status["conditions"]) condition["lastUpdateTime"] = condition["lastTransitionTime"];
  if (type == "Succeeded" || type == "Failed") status["completionTime"] = now;
  events_.record(job, type == "Failed" ? "Warning" : "Normal", reason.empty() ? usual : reason,
                 std::move(message), kPyTorchJobComponent);
}

void PyTorchJobController::choose_port(Json& job) {
  api::set_annotation(job, kMasterPort, std::to_string(choose_master_port(store_)));
  save(job);
}

/// Only writes the status and the controller's annotations. Other fields keep the values that clients have
/// written in the meantime.
void PyTorchJobController::save(const Json& job) {
  store_.modify(kinds::pytorchjob, namespace_of(job), name_of(job), [&](Json& next) {
    if (uid_of(next) != uid_of(job)) return;
    next["status"] = job["status"];
    for (std::string_view key : {kMasterPort, kRestarts})
      if (std::string value = annotation_of(job, key); !value.empty()) api::set_annotation(next, key, value);
  });
}

}  // namespace kml::local
