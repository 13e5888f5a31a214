#include "kml/job/capacity/queue_names.h"

#include "job/capacity/kueue_api.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

std::vector<std::string> queue_names(kube::Client& client, const std::string& namespace_name,
                                     bool with_cluster_queues) {
  const KueueApi kueue(client);
  std::vector<std::string> names;
  for (const Json& queue : client.list(kueue.local_queue(), namespace_name).items)
    names.push_back(api::name_of(queue));
  if (with_cluster_queues)
    for (const Json& queue : client.list(kueue.cluster_queue(), "").items)
      names.push_back(api::name_of(queue));
  return names;
}

}  // namespace kml::job
