#include "local/controllers/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/controllers/claim_dependents.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr const char* kDeploymentComponent = "deployment-controller";

bool is_paused(const Json& deployment) {
  return bool_at(deployment, {"spec", "paused"});
}

}  // namespace

DeploymentController::DeploymentController(EventLoop& loop, Store& store, const Dependents& dependents,
                                           EventRecorder& events, const Clock& clock)
    : store_(store),
      dependents_(dependents),
      events_(events),
      clock_(clock),
      queue_(loop, [this](const std::string& key) { look(key); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void DeploymentController::recover() {
  for (const ObjectPtr& deployment : store_.list(kinds::deployment, ""))
    queue_.add(api::full_name_of(*deployment));
}

void DeploymentController::on_event(const StoreEvent& event) {
  const Json& object = *event.object;
  if (event.kind == &kinds::deployment && event.change != Change::deleted)
    queue_.add(api::full_name_of(object));
  const bool is_set = event.kind == &kinds::replica_set;
  if (const std::string owner = is_set ? controller_name(object, kinds::deployment) : ""; !owner.empty())
    queue_.add(owner);
  // The strategy Recreate waits for the last old pod. A ReplicaSet without a controller may now belong to any
  // Deployment.
  const bool pod_has_gone =
      event.kind == &kinds::pod && (event.change == Change::deleted || pod_has_ended(object));
  if (pod_has_gone || (is_set && !api::controller_of(object)))
    for (const ObjectPtr& deployment : store_.list(kinds::deployment, namespace_of(object)))
      queue_.add(api::full_name_of(*deployment));
}

void DeploymentController::look(const std::string& key) {
  const ObjectPtr stored = get_by_full_name(store_, kinds::deployment, key);
  if (!stored) return;
  Json deployment = *stored;
  ReplicaSets sets = replica_sets(deployment);
  if (is_being_deleted(deployment)) return save_status(deployment, sets);
  note_pause(deployment);
  if (sets.current) give_revision(deployment, sets);
  const bool is_empty_while_paused = is_paused(deployment) && wanted_replicas(sets.all()) == 0;
  if (has_new_size(deployment, sets) || is_empty_while_paused) {
    for (const Scaling& step : scaled_in_proportion(deployment, sets)) scale(deployment, step);
  } else if (!is_paused(deployment)) {
    take_step(deployment, sets);
  }
  sets = replica_sets(deployment);
  save_status(deployment, sets);
  remove_history(deployment, sets);
  if (const auto deadline = progress_deadline(deployment); deadline && !is_paused(deployment))
    queue_.add_after(key, std::max<nanoseconds>(*deadline - clock_.now(), 0ns) + 1s);
}

ReplicaSets DeploymentController::replica_sets(const Json& deployment) {
  return sort_replica_sets(deployment, claim_dependents(store_, dependents_, deployment, kinds::replica_set));
}

/// Records a pause, because the progress deadline does not run while the Deployment is paused.
void DeploymentController::note_pause(Json& deployment) {
  if (!find(deployment, {"spec", "progressDeadlineSeconds"})) return;
  const std::string reason = api::condition(deployment, "Progressing").reason();
  if (reason == "ProgressDeadlineExceeded") return;
  if (is_paused(deployment) && reason != "DeploymentPaused")
    note_progress(deployment, "Unknown", "DeploymentPaused", "Deployment is paused");
  else if (!is_paused(deployment) && reason == "DeploymentPaused")
    note_progress(deployment, "Unknown", "DeploymentResumed", "Deployment is resumed");
}

void DeploymentController::take_step(Json& deployment, ReplicaSets& sets) {
  if (is_recreated(deployment)) return recreate(deployment, sets);
  if (!sets.current) return make_current(deployment, sets);
  for (const Scaling& step : next_rolling_step(deployment, sets)) scale(deployment, step);
}

void DeploymentController::recreate(Json& deployment, ReplicaSets& sets) {
  bool waits = false;
  for (const ObjectPtr& set : sets.old) {
    if (int_at(*set, {"spec", "replicas"}, 1) > 0) scale(deployment, {set, 0});
    for (const ObjectPtr& pod : dependents_.of(uid_of(*set), &kinds::pod)) waits |= !pod_has_ended(*pod);
  }
  if (waits) return;
  if (!sets.current) return make_current(deployment, sets);
  if (const long long size = first_size(deployment, sets);
      size != int_at(*sets.current, {"spec", "replicas"}, 1))
    scale(deployment, {sets.current, size});
}

void DeploymentController::make_current(Json& deployment, ReplicaSets& sets) {
  long long collisions = int_at(deployment, {"status", "collisionCount"});
  Json set = new_replica_set(deployment, collisions);
  while (store_.get(kinds::replica_set, namespace_of(deployment), name_of(set)))
    set = new_replica_set(deployment, ++collisions);
  if (collisions > 0) deployment["status"]["collisionCount"] = collisions;
  const long long size = first_size(deployment, sets);
  set["spec"]["replicas"] = size;
  api::set_annotation(set, kDesiredReplicas, std::to_string(int_at(deployment, {"spec", "replicas"}, 1)));
  sets.current = store_.create(kinds::replica_set, set);
  if (size > 0)
    events_.record(deployment, "Normal", "ScalingReplicaSet",
                   fmt::format("Scaled up replica set {} from 0 to {}", name_of(set), size),
                   kDeploymentComponent);
  give_revision(deployment, sets);
  note_progress(deployment, "True", "NewReplicaSetCreated",
                fmt::format("Created new replica set \"{}\"", name_of(set)));
}

/// Gives the current ReplicaSet the highest revision, and the Deployment the same one.
void DeploymentController::give_revision(Json& deployment, ReplicaSets& sets) {
  long long highest = 0;
  for (const ObjectPtr& set : sets.old) highest = std::max(highest, revision_of_set(*set));
  const long long revision = std::max(highest + 1, revision_of_set(*sets.current));
  const std::string key(kRevision), text = std::to_string(revision);
  const Json inherited = inherited_annotations(deployment);
  sets.current =
      store_.modify(kinds::replica_set, namespace_of(*sets.current), name_of(*sets.current), [&](Json& next) {
        next["metadata"]["annotations"].update(inherited);
        api::set_annotation(next, key, text);
      });
  if (annotation_of(deployment, key) != text) {
    api::set_annotation(deployment, key, text);
    store_.modify(kinds::deployment, namespace_of(deployment), name_of(deployment), [&](Json& next) {
      if (uid_of(next) == uid_of(deployment)) api::set_annotation(next, key, text);
    });
  }
  if (!api::condition(deployment, "Progressing"))
    note_progress(deployment, "True", "FoundNewReplicaSet",
                  fmt::format("Found new replica set \"{}\"", name_of(*sets.current)));
}

void DeploymentController::scale(const Json& deployment, const Scaling& step) {
  const long long before = int_at(*step.set, {"spec", "replicas"}, 1);
  const std::string desired = std::to_string(int_at(deployment, {"spec", "replicas"}, 1));
  store_.modify(kinds::replica_set, namespace_of(*step.set), name_of(*step.set), [&](Json& next) {
    next["spec"]["replicas"] = step.replicas;
    api::set_annotation(next, kDesiredReplicas, desired);
  });
  if (step.replicas != before)
    events_.record(
        deployment, "Normal", "ScalingReplicaSet",
        fmt::format("Scaled {} replica set {} from {} to {}", step.replicas > before ? "up" : "down",
                    name_of(*step.set), before, step.replicas),
        kDeploymentComponent);
}

void DeploymentController::note_progress(Json& deployment, const char* value, const char* reason,
                                         const std::string& message) {
  if (find(deployment, {"spec", "progressDeadlineSeconds"}))
    set_deployment_condition(deployment["status"], "Progressing", value, reason, message, clock_.now());
}

/// After a rollout, removes the oldest empty ReplicaSets beyond revisionHistoryLimit.
void DeploymentController::remove_history(const Json& deployment, const ReplicaSets& sets) {
  if (!is_rolled_out(deployment, deployment_status(deployment, sets, clock_.now()))) return;
  std::vector<ObjectPtr> empty = sets.old;
  std::erase_if(empty, [](const ObjectPtr& set) {
    return int_at(*set, {"spec", "replicas"}, 1) != 0 || int_at(*set, {"status", "replicas"}) != 0 ||
           is_being_deleted(*set);
  });
  std::stable_sort(empty.begin(), empty.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return revision_of_set(*a) < revision_of_set(*b);
  });
  const auto limit = static_cast<size_t>(int_at(deployment, {"spec", "revisionHistoryLimit"}, 10));
  for (size_t i = 0; i + limit < empty.size(); ++i)
    store_.remove(kinds::replica_set, namespace_of(*empty[i]), name_of(*empty[i]));
}

void DeploymentController::save_status(const Json& deployment, const ReplicaSets& sets) {
  const Json status = deployment_status(deployment, sets, clock_.now());
  store_.modify(kinds::deployment, namespace_of(deployment), name_of(deployment), [&](Json& next) {
    if (uid_of(next) == uid_of(deployment)) next["status"] = status;
  });
}

}  // namespace kml::local
