#include <fmt/format.h>

#include "kml/kube/objects/object.h"
#include "local/controllers/deployment_plan.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr const char* kTimedOut = "ProgressDeadlineExceeded";
constexpr const char* kAvailableSet = "NewReplicaSetAvailable";

const Json* progress_of(const Json& status) {
  for (const Json& condition : array_at(status, {"conditions"}))
    if (string_at(condition, {"type"}) == "Progressing") return &condition;
  return nullptr;
}

/// Whether, since the last status, pods were updated or became ready, or old pods ended.
bool has_progressed(const Json& before, const Json& after) {
  const auto grown = [&](const char* counter) {
    return int_at(after, {counter}) > int_at(before, {counter});
  };
  const auto old_pods = [](const Json& status) {
    return int_at(status, {"replicas"}) - int_at(status, {"updatedReplicas"});
  };
  return grown("updatedReplicas") || grown("readyReplicas") || grown("availableReplicas") ||
         old_pods(after) < old_pods(before);
}

void set_availability(Json& status, const Json& deployment, Time now) {
  const bool enough = int_at(status, {"availableReplicas"}) >=
                      int_at(deployment, {"spec", "replicas"}, 1) - limits_of(deployment).unavailable;
  set_deployment_condition(
      status, "Available", enough ? "True" : "False",
      enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
      now);
}

/// syncRolloutStatus() of pkg/controller/deployment/progress.go.
void set_progress(Json& status, const Json& deployment, const ReplicaSets& sets, Time now) {
  const Json* progress = progress_of(status);
  const std::string reason = progress ? string_at(*progress, {"reason"}) : "";
  const bool was_complete =
      int_at(status, {"replicas"}) == int_at(status, {"updatedReplicas"}) && reason == kAvailableSet;
  if (!find(deployment, {"spec", "progressDeadlineSeconds"}) || was_complete) return;
  const std::string subject = sets.current ? fmt::format("ReplicaSet \"{}\"", name_of(*sets.current))
                                           : fmt::format("Deployment \"{}\"", name_of(deployment));
  const auto set = [&](const char* value, const char* why, const char* what) {
    set_deployment_condition(status, "Progressing", value, why, fmt::format("{} {}", subject, what), now);
  };
  const auto deadline = progress_deadline(deployment);
  if (is_rolled_out(deployment, status))
    set("True", kAvailableSet, "has successfully progressed.");
  else if (has_progressed(api::status_of(deployment), status))
    set("True", "ReplicaSetUpdated", "is progressing.");
  else if (reason == kTimedOut || (deadline && *deadline <= now))
    set("False", kTimedOut, "has timed out progressing.");
}

void set_replica_failure(Json& status, const ReplicaSets& sets, Time now) {
  for (const ObjectPtr& set : sets.all())
    if (const api::Condition failure = api::condition(*set, "ReplicaFailure"); failure.is_true())
      return set_deployment_condition(status, "ReplicaFailure", "True", failure.reason(), failure.message(),
                                      now);
  std::erase_if(status["conditions"].get_ref<Json::array_t&>(),
                [](const Json& condition) { return string_at(condition, {"type"}) == "ReplicaFailure"; });
}

}  // namespace

void set_deployment_condition(Json& status, const std::string& type, const std::string& value,
                              const std::string& reason, const std::string& message, Time now) {
  Json next = {{"type", type},
               {"status", value},
               {"reason", reason},
               {"message", message},
               {"lastUpdateTime", rfc3339(now)},
               {"lastTransitionTime", rfc3339(now)}};
  for (Json& condition : status["conditions"]) {
    if (string_at(condition, {"type"}) != type) continue;
    const bool is_same = condition["status"] == value;
    if (is_same) next["lastTransitionTime"] = condition["lastTransitionTime"];
    // The progress deadline only starts over after progress.
    if (is_same && condition["reason"] == reason && reason != "ReplicaSetUpdated") return;
    condition = std::move(next);
    return;
  }
  status["conditions"].push_back(std::move(next));
}

bool is_rolled_out(const Json& deployment, const Json& status) {
  const long long wanted = int_at(deployment, {"spec", "replicas"}, 1);
  return int_at(status, {"updatedReplicas"}) == wanted && int_at(status, {"replicas"}) == wanted &&
         int_at(status, {"availableReplicas"}) == wanted &&
         int_at(status, {"observedGeneration"}) >= api::generation_of(deployment);
}

std::optional<Time> progress_deadline(const Json& deployment) {
  const Json* seconds = find(deployment, {"spec", "progressDeadlineSeconds"});
  const Json* progress = progress_of(api::status_of(deployment));
  if (!seconds || !progress) return {};
  const std::string reason = string_at(*progress, {"reason"});
  if (reason == kAvailableSet || reason == kTimedOut || reason == "DeploymentPaused") return {};
  const auto since = parse_rfc3339(string_at(*progress, {"lastUpdateTime"}));
  return since ? std::optional(*since + std::chrono::seconds(seconds->get<int64_t>())) : std::nullopt;
}

Json deployment_status(const Json& deployment, const ReplicaSets& sets, Time now) {
  Json status = api::status_of(deployment);
  if (!status.contains("conditions")) status["conditions"] = Json::array();
  const long long all = sum_of_status(sets.all(), "replicas"),
                  available = sum_of_status(sets.all(), "availableReplicas");
  status.update({{"observedGeneration", api::generation_of(deployment)},
                 {"replicas", all},
                 {"updatedReplicas", sets.current ? int_at(*sets.current, {"status", "replicas"}) : 0},
                 {"readyReplicas", sum_of_status(sets.all(), "readyReplicas")},
                 {"availableReplicas", available},
                 {"unavailableReplicas", std::max<long long>(0, wanted_replicas(sets.all()) - available)}});
  set_availability(status, deployment, now);
  if (!bool_at(deployment, {"spec", "paused"})) set_progress(status, deployment, sets, now);
  set_replica_failure(status, sets, now);
  return status;
}

}  // namespace kml::local
