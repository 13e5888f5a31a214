#include "job/capacity/node_rules.h"

#include <algorithm>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::job {

namespace {

constexpr std::string_view kStateOfNode = "node.kubernetes.io/";

}  // namespace

std::vector<std::string> missing_labels(const Json& node, const Json& pod_spec) {
  std::vector<std::string> missing = api::missing_node_labels(node, pod_spec);
  if (!api::has_node_affinity(node, pod_spec))
    missing.emplace_back("the labels that the pod's node affinity requires");
  return missing;
}

std::vector<const Json*> untolerated_taints(const Json& node, const Json& pod_spec) {
  std::vector<const Json*> taints;
  for (const Json& taint : api::taints_of(node))
    if (api::keeps_pods_off(taint) && !api::taint_key(taint).starts_with(kStateOfNode) &&
        !api::tolerates(pod_spec, taint))
      taints.push_back(&taint);
  return taints;
}

bool is_ready(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  if (ready && !ready.is_true()) return false;
  const Json& taints = api::taints_of(node);
  return std::none_of(taints.begin(), taints.end(), [](const Json& taint) {
    const std::string key = api::taint_key(taint);
    return key.starts_with(kStateOfNode) && key != "node.kubernetes.io/unschedulable" &&
           api::keeps_pods_off(taint);
  });
}

Json opened_node(Json node) {
  if (Json& spec = node["spec"]; spec.is_object()) spec.erase("unschedulable");
  if (Json& status = node["status"]; status.is_object()) status.erase("conditions");
  return node;
}

std::string refusal_of_node(const Json& node, const Json& pod_spec) {
  if (const auto missing = missing_labels(node, pod_spec); !missing.empty())
    return missing[0].starts_with("the ") ? "lacks " + missing[0] : "has no label " + missing[0];
  if (api::is_cordoned_for(node, pod_spec)) return "is cordoned";
  if (const auto taints = untolerated_taints(node, pod_spec); !taints.empty())
    return "has taint " + api::taint_key(*taints[0]);
  return is_ready(node) ? "" : "is not ready";
}

}  // namespace kml::job
