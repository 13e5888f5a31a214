#include "local/events/attempts.h"

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// How the container ended that decided the pod's result: the first one that failed, otherwise the last one.
Json deciding_end(const Json& pod) {
  Json end = Json::object();
  for (const char* group : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : api::container_statuses(pod, group))
      if (const Json* terminated = api::terminated_in(status)) {
        end = *terminated;
        if (api::exit_code_of(end) != 0) return end;
      }
  return end;
}

std::string reason_of(const Json& pod, const Json& end) {
  if (std::string reason = annotation_of(pod, kEndedBy); !reason.empty()) return reason;
  if (api::condition(pod, "DisruptionTarget").reason() == "PreemptionByScheduler") return "Preempted";
  // `kml cancel ARRAY-N` ends the pod by a deadline.
  if (!annotation_of(pod, api::kCancelled).empty() && phase_of(pod) == "Failed") return "Cancelled";
  if (std::string reason = api::status_reason(pod); !reason.empty()) return reason;
  if (is_being_deleted(pod) && api::exit_code_of(end) != 0) return "Deleted";
  return string_at(end, {"reason"}, phase_of(pod));
}

std::string index_of(const Json& pod) {
  for (std::string_view key : {api::kCompletionIndex, api::kReplicaIndex})
    if (std::string index = api::label_of(pod, key); !index.empty()) return index;
  return {};
}

/// The crash of a container that used up the job's retries. The container was restarted, but its pod was then
/// stopped.
const Json* crash_that_ended_job(const Json& pod) {
  if (annotation_of(pod, kEndedBy) != "BackoffLimitExceeded") return nullptr;
  for (const char* group : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : api::container_statuses(pod, group))
      if (const Json* last = api::last_terminated_in(status); last && api::exit_code_of(*last) != 0)
        return last;
  return nullptr;
}

}  // namespace

Json attempt_of(const Json& pod) {
  const Json end = deciding_end(pod);
  const Json* crash = crash_that_ended_job(pod);
  const Json& fault = crash ? *crash : end;
  Json attempt = {{"pod", name_of(pod)},
                  {"uid", uid_of(pod)},
                  {"start", string_at(end, {"startedAt"}, api::start_text(pod))},
                  {"end", string_at(end, {"finishedAt"})},
                  {"reason", crash ? string_at(*crash, {"reason"}) : reason_of(pod, end)},
                  {"node", api::node_of(pod)}};
  for (const Json& container : api::containers_of(pod))
    attempt["containers"].push_back(api::entry_name(container));
  const std::string index = index_of(pod);
  set_said(attempt, {{"index", index.empty() ? Json() : Json(std::stoi(index))},
                     {"by", annotation_of(pod, api::kPreemptedBy)},
                     {"exitCode", fault.value("exitCode", Json())},
                     {"signal", fault.value("signal", Json())}});
  return attempt;
}

Attempts::Attempts(Store& store, EventRecorder& events) : store_(store), events_(events) {
  store.subscribe([this](const StoreEvent& event) {
    const bool now = event.kind == &kinds::pod && event.change == Change::modified &&
                     pod_has_ended(*event.object) && !pod_has_ended(*event.previous);
    if (now) ended(*event.object);
  });
}

void Attempts::recover() {
  for (const ObjectPtr& pod : store_.list(kinds::pod, ""))
    if (pod_has_ended(*pod)) ended(*pod);
}

void Attempts::ended(const Json& pod) {
  if (!find(pod, {"status", "startTime"})) return;  // the pod was never started
  for (const Json& owner : api::owners_of(pod))
    for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
      if (api::kind_name(owner) == kind->kind) {
        ObjectPtr job = store_.get(*kind, namespace_of(pod), api::entry_name(owner));
        if (job && uid_of(*job) == api::entry_uid(owner) && !events_.has_attempt(*job, pod))
          events_.record_attempt(*job, pod, attempt_of(pod));
      }
}

}  // namespace kml::local
