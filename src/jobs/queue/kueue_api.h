#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/api/resource.h"
#include "kml/jobs/queue.h"
#include "kml/kube/client.h"

namespace kml::jobs {

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

/// Adds Workloads, LocalQueues and, by the visibility API, positions. What may not be read or is not served
/// is named in the result: "Kueue's Workloads".
std::vector<std::string> add_kueue(kube::Client& client, const std::string& namespace_name, JobQueue& queue);

}  // namespace kml::jobs
