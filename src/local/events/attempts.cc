#include "local/events/attempts.h"

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// The end of the container that decided the pod's: the first that failed, else the last.
Json deciding_end(const Json& pod) {
  Json end;
  for (const char* group : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : array_at(pod, {"status", group}))
      if (const Json* terminated = find(status, {"state", "terminated"})) {
        end = *terminated;
        if (int_at(end, {"exitCode"}) != 0) return end;
      }
  return end;
}

std::string reason_of(const Json& pod, const Json& end) {
  if (std::string reason = annotation_of(pod, kEndedBy); !reason.empty()) return reason;
  if (api::condition(pod, "DisruptionTarget").reason() == "PreemptionByScheduler") return "Preempted";
  if (std::string reason = string_at(pod, {"status", "reason"}); !reason.empty()) return reason;
  if (is_being_deleted(pod) && int_at(end, {"exitCode"}) != 0) return "Deleted";
  return string_at(end, {"reason"}, phase_of(pod));
}

std::string index_of(const Json& pod) {
  for (std::string_view key : {api::kCompletionIndex, api::kReplicaIndex})
    if (std::string index = api::label_of(pod, key); !index.empty()) return index;
  return {};
}

}  // namespace

Json attempt_of(const Json& pod) {
  const Json end = deciding_end(pod);
  Json attempt = {{"pod", name_of(pod)},
                  {"uid", uid_of(pod)},
                  {"start", string_at(end, {"startedAt"}, string_at(pod, {"status", "startTime"}))},
                  {"end", string_at(end, {"finishedAt"})},
                  {"reason", reason_of(pod, end)},
                  {"node", api::node_of(pod)}};
  for (const Json& container : api::containers_of(pod))
    attempt["containers"].push_back(string_at(container, {"name"}));
  if (std::string index = index_of(pod); !index.empty()) attempt["index"] = std::stoi(index);
  if (std::string by = annotation_of(pod, api::kPreemptedBy); !by.empty()) attempt["by"] = by;
  if (end.contains("exitCode")) attempt["exitCode"] = end["exitCode"];
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
  if (!find(pod, {"status", "startTime"})) return;  // it never left the queue
  for (const Json& owner : api::owners_of(pod))
    for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
      if (api::kind_name(owner) == kind->kind) {
        ObjectPtr job = store_.get(*kind, namespace_of(pod), string_at(owner, {"name"}));
        if (job && uid_of(*job) == string_at(owner, {"uid"}))
          events_.record_attempt(*job, pod, attempt_of(pod));
      }
}

}  // namespace kml::local
