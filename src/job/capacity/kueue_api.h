#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

/// The server's preferred version of an API group. Throws Error (404) if it does not serve the group.
std::string preferred_version(kube::Client& client, const std::string& group);

/// The preferred version in an APIGroup object; empty if it has none.
inline std::string preferred_version(const Json& group) {
  return string_at(group, {"preferredVersion", "version"});
}

/// The LocalQueue that a Workload waits in.
inline std::string queue_name_of(const Json& workload) {
  return string_at(workload, {"spec", "queueName"});
}
/// The ClusterQueue behind a LocalQueue.
inline std::string cluster_queue_of(const Json& local_queue) {
  return string_at(local_queue, {"spec", "clusterQueue"});
}
/// The cohort in which a ClusterQueue shares quota; empty if it has none. v1beta1 uses a different field
/// name.
inline std::string cohort_of(const Json& cluster_queue) {
  return string_at(cluster_queue, {"spec", "cohortName"}, string_at(cluster_queue, {"spec", "cohort"}));
}
/// Calls visit(flavor, quota) for each quota of each flavor of a ClusterQueue. A quota is an object with a
/// resource's name and its nominalQuota.
template <typename Visit>
void visit_quotas(const Json& cluster_queue, const Visit& visit) {
  for (const Json& group : array_at(cluster_queue, {"spec", "resourceGroups"}))
    for (const Json& flavor : array_at(group, {"flavors"}))
      for (const Json& quota : array_at(flavor, {"resources"})) visit(flavor, quota);
}
/// Whether a Workload is active. Kueue does not admit an inactive one.
inline bool is_active(const Json& workload) {
  return bool_at(workload, {"spec", "active"}, true);
}

/// Whether Kueue has deactivated the Workload itself, for example after too many attempts. Kueue 0.19 never
/// admits such a Workload again, even if a user activates the Workload: Kueue sets Requeued to True only
/// after other reasons.
/// https://github.com/kubernetes-sigs/kueue/blob/v0.19.0/pkg/controller/core/workload_controller.go
bool has_given_up(const Json& workload);

/// How long the Workload was admitted in its earlier admissions together, in seconds. v1beta1 has a different
/// spelling.
inline long long past_admitted_seconds(const Json& workload) {
  return std::max(int_at(workload, {"status", "accumulatedPastExecutionTimeSeconds"}),
                  int_at(workload, {"status", "accumulatedPastExexcutionTimeSeconds"}));
}

/// Whether quota is reserved for a Workload. A finished Workload keeps its admission, but not its quota.
bool holds_quota(const Json& workload);

/// The Workload's label that has the uid of its job.
inline constexpr const char* kJobUidLabel = "kueue.x-k8s.io/job-uid";

/// Kueue's kinds in the server's preferred version: v1beta2 in Kueue 0.15 and later, v1beta1 before.
class KueueApi {
 public:
  /// Throws Error (404) if the server does not have Kueue.
  explicit KueueApi(kube::Client& client);

  api::ResourceKind workload() const { return kind("Workload", "workloads", true); }
  api::ResourceKind local_queue() const { return kind("LocalQueue", "localqueues", true); }
  api::ResourceKind cluster_queue() const { return kind("ClusterQueue", "clusterqueues", false); }
  api::ResourceKind resource_flavor() const { return kind("ResourceFlavor", "resourceflavors", false); }
  api::ResourceKind multikueue_cluster() const {
    return kind("MultiKueueCluster", "multikueueclusters", false);
  }
  api::ResourceKind topology() const { return kind("Topology", "topologies", false); }
  api::ResourceKind workload_priority_class() const {
    return kind("WorkloadPriorityClass", "workloadpriorityclasses", false);
  }

 private:
  api::ResourceKind kind(std::string_view name, std::string_view plural, bool namespaced) const {
    return {"kueue.x-k8s.io", version_, name, plural, plural, "", namespaced};
  }
  std::string version_;
};

/// The Workloads of one job of any kind. Usually there is one.
std::vector<Json> list_workloads_of(kube::Client& client, const KueueApi& kueue, const Json& job);

}  // namespace kml::job
