#pragma once

#include <string>

#include "kml/api/resource.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The version of an API group that the server likes best. Throws Error (404) where it does not serve the
/// group.
std::string preferred_version(kube::Client& client, const std::string& group);

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
