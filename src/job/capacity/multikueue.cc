#include "job/capacity/multikueue.h"

#include <string_view>

#include "job/capacity/kueue_api.h"
#include "kml/base/text.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

// MultiKueue's names, from apis/kueue/v1beta2/multikueue_types.go and pkg/controller/constants of Kueue 0.19.
constexpr std::string_view kMultiKueue = "kueue.x-k8s.io/multikueue";
constexpr std::string_view kOrigin = "kueue.x-k8s.io/multikueue-origin";
/// A label before Kueue 0.18, and an annotation since.
constexpr std::string_view kPrebuiltWorkload = "kueue.x-k8s.io/prebuilt-workload-name";
/// The namespace in which Kueue's published manifests install it, and where its Secrets are.
constexpr const char* kNamespace = "kueue-system";

bool is_refusal(const Error& error) {
  return error.http_status == 403 || error.http_status == 404;
}

}  // namespace

bool is_dispatched(const Json& job) {
  return string_at(job, {"spec", "managedBy"}) == kMultiKueue ||
         string_at(job, {"spec", "runPolicy", "managedBy"}) == kMultiKueue;
}

std::string workload_selector(const Json& job) {
  return kJobUidLabel + ("=" + api::uid_of(job));
}

std::optional<Dispatch> dispatch_in(const Json& workload) {
  const std::string cluster = string_at(workload, {"status", "clusterName"});
  if (cluster.empty()) return {};
  return Dispatch{cluster, api::name_of(workload)};
}

std::optional<Dispatch> find_dispatch(kube::Client& client, const Json& job) try {
  for (const Json& workload : list_workloads_of(client, KueueApi(client), job))
    if (auto dispatch = dispatch_in(workload)) return dispatch;
  return {};
} catch (const Error& error) {
  if (!is_refusal(error)) throw;
  return {};
}

bool is_copy(const Json& job, const Dispatch& dispatch) {
  return !api::label_of(job, kOrigin).empty() &&
         (api::annotation_of(job, kPrebuiltWorkload) == dispatch.workload ||
          api::label_of(job, kPrebuiltWorkload) == dispatch.workload);
}

std::vector<std::string> addresses_of(kube::Client& client, const std::string& cluster) try {
  const std::optional<Json> found = client.get_if_exists(KueueApi(client).multikueue_cluster(), "", cluster);
  if (!found) return {};
  // v1beta1 has the fields of clusterSource in spec.
  const std::string secret = string_at(*found, {"spec", "clusterSource", "kubeConfig", "location"},
                                       string_at(*found, {"spec", "kubeConfig", "location"}));
  if (secret.empty()) return {};
  const std::optional<Json> there = client.get_if_exists(*api::find_kind("v1", "Secret"), kNamespace, secret);
  if (!there) return {};
  return kube::addresses_in(base64_decoded(string_at(*there, {"data", "kubeconfig"})).value_or(""));
} catch (const Error& error) {
  if (!is_refusal(error)) throw;
  return {};
}

}  // namespace kml::job
