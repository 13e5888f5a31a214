#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "local/store/store.h"

namespace kml::local {

// The next steps of a Deployment: the pure part of k8s.io/kubernetes/pkg/controller/deployment.

inline constexpr std::string_view kTemplateHash = "pod-template-hash";
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";

/// A Deployment's ReplicaSets.
struct ReplicaSets {
  ObjectPtr current;           ///< the one with the Deployment's pod template; nullptr if there is none
  std::vector<ObjectPtr> old;  ///< oldest first

  std::vector<ObjectPtr> all() const;
};
ReplicaSets sort_replica_sets(const Json& deployment, const std::vector<ObjectPtr>& sets);

/// The sum of the sets' spec.replicas, or of a counter of their status.
long long wanted_replicas(const std::vector<ObjectPtr>& sets);
long long sum_of_status(const std::vector<ObjectPtr>& sets, std::string_view counter);

/// Whether all old pods end before the first new one starts: strategy Recreate.
bool is_recreated(const Json& deployment);

/// How many pods may exist beyond spec.replicas during a rollout, and how many may be missing.
struct RolloutLimits {
  long long surge = 0, unavailable = 0;
};
RolloutLimits limits_of(const Json& deployment);

/// A new size for a ReplicaSet.
struct Scaling {
  ObjectPtr set;
  long long replicas;
};
/// The next step of a rolling update; empty if it has to wait for pods, or is done.
std::vector<Scaling> next_rolling_step(const Json& deployment, const ReplicaSets& sets);
/// The sizes after spec.replicas has changed, or while the Deployment is paused: in the middle of a rollout,
/// all sets grow or shrink in proportion.
std::vector<Scaling> scaled_in_proportion(const Json& deployment, const ReplicaSets& sets);
/// Whether spec.replicas differs from the size that the sets were scaled for.
bool has_new_size(const Json& deployment, const ReplicaSets& sets);
/// The size of a ReplicaSet for a new template.
long long first_size(const Json& deployment, const ReplicaSets& sets);

/// A new ReplicaSet with the Deployment's template. `collisions` is status.collisionCount.
Json new_replica_set(const Json& deployment, long long collisions);
/// The annotations of a Deployment that its ReplicaSets take over.
Json inherited_annotations(const Json& deployment);
long long revision_of_set(const Json& set);
/// Whether two pod templates differ only in the hash label.
bool is_same_template(const Json& a, const Json& b);

/// The new status, with the conditions Available and Progressing.
Json deployment_status(const Json& deployment, const ReplicaSets& sets, Time now);
/// Whether all pods are updated and available.
bool is_rolled_out(const Json& deployment, const Json& status);
/// When progressDeadlineSeconds is over; empty if there is no deadline or the rollout is done.
std::optional<Time> progress_deadline(const Json& deployment);
/// Sets a condition as the Deployment controller does, with lastUpdateTime. `status` is "True", "False" or
/// "Unknown".
void set_deployment_condition(Json& status, const std::string& type, const std::string& value,
                              const std::string& reason, const std::string& message, Time now);

}  // namespace kml::local
