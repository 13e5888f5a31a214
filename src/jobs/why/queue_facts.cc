#include "jobs/why/queue_facts.h"

#include "kml/api/labels.h"
#include "kml/api/object.h"

namespace kml::jobs {

void read_queue(Reader& reader, Facts& facts) {
  // Newer Kueues have v1beta2 (0.15 was the first), older ones v1beta1.
  const std::optional<Json> group = reader.get_raw_if_there("/apis/kueue.x-k8s.io");
  facts.has_kueue = group.has_value();
  if (!group) return;
  const std::string version = string_at(*group, {"preferredVersion", "version"}, "v1beta1");
  const auto kind = [&](const char* name, const char* plural, const char* singular, bool namespaced) {
    return api::ResourceKind{"kueue.x-k8s.io", version, name, plural, singular, "", namespaced};
  };
  const std::string where = api::namespace_of(facts.job);
  const api::ResourceKind workloads = kind("Workload", "workloads", "workload", true);
  // Those of other namespaces hold the same queue's quota.
  facts.workloads = reader.list("Kueue's workloads of all namespaces", workloads, "");
  if (!facts.workloads) facts.workloads = reader.list("Kueue's workloads", workloads, where);
  facts.local_queue = reader.get_if_allowed(kind("LocalQueue", "localqueues", "localqueue", true), where,
                                            api::label_of(facts.job, api::kKueueQueue));
  const std::string cluster_queue =
      facts.local_queue ? string_at(*facts.local_queue, {"spec", "clusterQueue"}) : "";
  if (!cluster_queue.empty())
    facts.cluster_queue = reader.get_if_allowed(kind("ClusterQueue", "clusterqueues", "clusterqueue", false),
                                                "", cluster_queue);
}

}  // namespace kml::jobs
