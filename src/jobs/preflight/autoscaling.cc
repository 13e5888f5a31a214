#include "jobs/preflight/autoscaling.h"

#include <algorithm>

#include "jobs/preflight/questions.h"
#include "kml/api/resource.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

/// Of labels and annotations that node pools, autoscalers and machine controllers set.
constexpr std::string_view kMarks[] = {"cluster-autoscaler.kubernetes.io/",
                                       "karpenter.sh/",
                                       "cluster.x-k8s.io/",
                                       "machine.openshift.io/",
                                       "cloud.google.com/",
                                       "eks.amazonaws.com/",
                                       "kubernetes.azure.com/"};
/// Clusters on one machine: nothing adds nodes to them.
constexpr std::string_view kFixedProviders[] = {"kind://", "k3s://"};
/// Karpenter, the autoscaler's provisioning requests, Cluster API.
constexpr std::string_view kGroups[] = {"karpenter.sh", "autoscaling.x-k8s.io", "cluster.x-k8s.io"};

bool is_of_a_pool(const Json& node) {
  for (const char* part : {"labels", "annotations"})
    for (const auto& [key, value] : object_at(node, {"metadata", part}).items())
      if (std::any_of(std::begin(kMarks), std::end(kMarks),
                      [&key = key](std::string_view mark) { return key.starts_with(mark); }))
        return true;
  const std::string provider = string_at(node, {"spec", "providerID"});
  return !provider.empty() &&
         std::none_of(std::begin(kFixedProviders), std::end(kFixedProviders),
                      [&](std::string_view fixed) { return provider.starts_with(fixed); });
}

bool has_group(const std::string& groups) {
  const Json parsed = Json::parse(groups, nullptr, false);
  const Json& list = array_at(parsed, {"groups"});
  return std::any_of(list.begin(), list.end(), [](const Json& group) {
    return std::find(std::begin(kGroups), std::end(kGroups), string_at(group, {"name"})) != std::end(kGroups);
  });
}

}  // namespace

bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes) {
  if (std::any_of(nodes.begin(), nodes.end(), is_of_a_pool)) return true;
  Questions questions(client.transport());
  bool may = false;
  questions.ask("/apis", [&](const Questions::Answer& answer) {
    may = may || answer.status != 200 || has_group(answer.body);
  });
  questions.ask_for_metadata(
      api::find_kind("v1", "ConfigMap")->path("kube-system", "cluster-autoscaler-status"),
      [&](const Questions::Answer& answer) { may = may || answer.status != 404; });
  questions.wait();
  return may;
}

}  // namespace kml::jobs
