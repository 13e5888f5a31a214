#pragma once

#include <string>

#include "kml/api/resource.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The version of an API group that the server likes best. Throws Error (404) where it does not serve the
/// group.
std::string preferred_version(kube::Client& client, const std::string& group);

/// That of an APIGroup; empty if it names none.
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
/// Visits the flavors of a ClusterQueue with what it may use of each: an object with a resource's name and
/// its nominalQuota.
template <typename Visit>
void visit_quotas(const Json& cluster_queue, const Visit& visit) {
  for (const Json& group : array_at(cluster_queue, {"spec", "resourceGroups"}))
    for (const Json& flavor : array_at(group, {"flavors"}))
      for (const Json& quota : array_at(flavor, {"resources"})) visit(flavor, quota);
}
/// Whether a Workload may be admitted: Kueue gives up on one that is not.
inline bool is_active(const Json& workload) {
  return bool_at(workload, {"spec", "active"}, true);
}

/// Kueue's kinds in the version that the server likes best: newer ones have v1beta2 (0.15 was the first),
/// older v1beta1.
class KueueApi {
 public:
  /// Throws Error (404) where the server has no Kueue.
  explicit KueueApi(kube::Client& client);

  api::ResourceKind workload() const { return kind("Workload", "workloads", true); }
  api::ResourceKind local_queue() const { return kind("LocalQueue", "localqueues", true); }
  api::ResourceKind cluster_queue() const { return kind("ClusterQueue", "clusterqueues", false); }

 private:
  api::ResourceKind kind(std::string_view name, std::string_view plural, bool namespaced) const {
    return {"kueue.x-k8s.io", version_, name, plural, plural, "", namespaced};
  }
  std::string version_;
};

}  // namespace kml::jobs
