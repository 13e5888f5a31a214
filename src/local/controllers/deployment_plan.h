#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "local/store/store.h"

namespace kml::local {

// Computes the next steps of a Deployment. These functions follow
// k8s.io/kubernetes/pkg/controller/deployment, and have no side effects.

inline constexpr std::string_view kTemplateHash = "pod-template-hash";
inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";

/// A Deployment's ReplicaSets.
struct ReplicaSets {
  ObjectPtr current;           ///< the set with the Deployment's pod template; nullptr if there is none
  std::vector<ObjectPtr> old;  ///< oldest first

  std::vector<ObjectPtr> all() const;
};
ReplicaSets sort_replica_sets(const Json& deployment, const std::vector<ObjectPtr>& sets);

/// The sum of spec.replicas in the sets, or of a counter in their status.
long long wanted_replicas(const std::vector<ObjectPtr>& sets);
long long sum_of_status(const std::vector<ObjectPtr>& sets, std::string_view counter);

/// Whether all old pods must end before the first new one starts (strategy Recreate).
bool is_recreated(const Json& deployment);

/// How many pods may exist beyond spec.replicas during a rollout, and how many may be unavailable.
struct RolloutLimits {
  long long surge = 0, unavailable = 0;
};
RolloutLimits limits_of(const Json& deployment);

/// A new size for a ReplicaSet.
struct Scaling {
  ObjectPtr set;
  long long replicas;
};
/// The next step of a rolling update; empty if the update must wait for pods, or is done.
std::vector<Scaling> next_rolling_step(const Json& deployment, const ReplicaSets& sets);
/// The sizes after spec.replicas has changed, or while the Deployment is paused. In the middle of a rollout,
/// all sets grow or shrink in proportion.
std::vector<Scaling> scaled_in_proportion(const Json& deployment, const ReplicaSets& sets);
/// Whether spec.replicas has changed since the sets were scaled.
bool has_new_size(const Json& deployment, const ReplicaSets& sets);
/// The size for the ReplicaSet of a new template.
long long first_size(const Json& deployment, const ReplicaSets& sets);

/// A new ReplicaSet with the Deployment's template. `collisions` is the Deployment's status.collisionCount.
Json new_replica_set(const Json& deployment, long long collisions);
/// The Deployment's annotations that its ReplicaSets get, too.
Json inherited_annotations(const Json& deployment);
long long revision_of_set(const Json& set);
/// Whether two pod templates differ only in the hash label.
bool is_same_template(const Json& a, const Json& b);

/// The Deployment's new status, with the conditions Available and Progressing.
Json deployment_status(const Json& deployment, const ReplicaSets& sets, Time now);
/// Whether all pods are updated and available.
bool is_rolled_out(const Json& deployment, const Json& status);
/// When progressDeadlineSeconds will have passed; empty if there is no deadline, or if the rollout is not
/// recorded yet, is done or paused, or has timed out already.
std::optional<Time> progress_deadline(const Json& deployment);
/// Sets a condition as the Deployment controller does, including lastUpdateTime. `value` is "True", "False"
/// or "Unknown".
void set_deployment_condition(Json& status, const std::string& type, const std::string& value,
                              const std::string& reason, const std::string& message, Time now);

}  // namespace kml::local
