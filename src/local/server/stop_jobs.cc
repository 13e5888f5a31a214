#include "local/server/stop_jobs.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// An annotation on objects that the server stopped when it ended, and that the next server restores. Its
/// value is the number of replicas of a Deployment or ReplicaSet, or "1" for a job that no user would resume.
constexpr std::string_view kStoppedWithServer = "kml.dev/stopped-with-server";

bool is_running(const Json& pod) {
  return !api::node_of(pod).empty() && !pod_has_ended(pod);
}

/// Whether a schedule, a sweep's engine or a pipeline's engine has started the job.
bool is_started_by_itself(const Json& job) {
  const Json* controller = api::controller_of(job);
  return (controller && api::kind_name(*controller) == "CronJob") ||
         !api::label_of(job, api::kSweep).empty() || !api::label_of(job, api::kRun).empty();
}

void stop_replicas(Json& object) {
  const long long replicas = int_at(object, {"spec", "replicas"}, 1);
  if (replicas == 0) return;
  api::set_annotation(object, kStoppedWithServer, std::to_string(replicas));
  object["spec"]["replicas"] = 0;
}

void suspend(Json& job) {
  if (is_started_by_itself(job)) api::set_annotation(job, kStoppedWithServer, "1");
  api::set_suspended(job, true);
}

void bring_back(const api::ResourceKind& kind, Json& object) {
  const long long replicas = std::atoll(annotation_of(object, kStoppedWithServer).c_str());
  object["metadata"]["annotations"].erase(std::string(kStoppedWithServer));
  if (&kind == &kinds::job || &kind == &kinds::pytorchjob)
    api::set_suspended(object, false);
  else if (int_at(object, {"spec", "replicas"}, 1) == 0)  // only if the object was not scaled in the meantime
    object["spec"]["replicas"] = replicas;
}

}  // namespace

void bring_back_stopped(Store& store) {
  for (const api::ResourceKind* kind :
       {&kinds::job, &kinds::pytorchjob, &kinds::deployment, &kinds::replica_set})
    for (const ObjectPtr& object : store.list(*kind, ""))
      if (!annotation_of(*object, kStoppedWithServer).empty())
        store.modify(*kind, namespace_of(*object), name_of(*object),
                     [&](Json& next) { bring_back(*kind, next); });
}

StopJobs::StopJobs(EventLoop& loop, Store& store, std::function<void()> done)
    : store_(store), done_(std::move(done)), queue_(loop, [this](const std::string&) { end_all(); }) {
  store_.subscribe([this](const StoreEvent& event) {
    if (event.kind == &kinds::pod) see(*event.object, event.change == Change::deleted);
  });
}

void StopJobs::end_all() {
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    for (const ObjectPtr& job : store_.list(*kind, ""))
      if (!is_finished(*job) && !api::is_suspended(*job))
        store_.modify(*kind, namespace_of(*job), name_of(*job), suspend);
  for (const api::ResourceKind* kind : {&kinds::deployment, &kinds::replica_set})
    for (const ObjectPtr& object : store_.list(*kind, ""))
      if (api::owners_of(*object).empty())
        store_.modify(*kind, namespace_of(*object), name_of(*object), stop_replicas);
  for (const ObjectPtr& pod : store_.list(kinds::pod, ""))
    if (api::owners_of(*pod).empty())
      store_.modify(kinds::pod, namespace_of(*pod), name_of(*pod),
                    [](Json& next) { mark_deleted(next, system_clock().now()); });
  for (const ObjectPtr& pod : store_.list(kinds::pod, "")) see(*pod, false);
  begun_ = true;
  if (running_.empty()) done_();
}

void StopJobs::see(const Json& pod, bool is_deleted) {
  if (!is_deleted && is_running(pod))
    running_.insert(uid_of(pod));
  else
    running_.erase(uid_of(pod));
  if (begun_ && running_.empty()) done_();
}

}  // namespace kml::local
