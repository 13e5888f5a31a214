#include "kml/engine/in_cluster/one_node_volume.h"

#include "kml/kube/objects/claim.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

void keep_on_one_node(const Json& claim, Json& pod_template) {
  if (!api::is_of_one_node(claim)) return;
  const Json labels = {{api::kVolume, api::uid_of(claim)}};
  pod_template["metadata"]["labels"].update(labels);
  pod_template["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].push_back(
      {{"labelSelector", {{"matchLabels", labels}}}, {"topologyKey", "kubernetes.io/hostname"}});
}

}  // namespace kml::engine
