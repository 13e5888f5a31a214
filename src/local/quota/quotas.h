#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/kube/objects/quantity.h"
#include "kml/kube/objects/quota.h"
#include "kml/kube/objects/resource.h"
#include "local/store/store.h"

namespace kml::local {

// Computes the usage for ResourceQuotas as k8s.io/kubernetes/pkg/quota/v1/evaluator/core does.

/// Amounts in thousandths, by the names of resources in quotas ("requests.cpu", "pods", "count/jobs.batch").
using Amounts = api::Amounts;

using api::is_extended_resource;

/// How much an object adds to the usage of its namespace's quotas. A finished pod only adds to "count/pods".
/// The pod's requests must be complete: admission sets missing requests from the limits.
Amounts usage_of(const api::ResourceKind& kind, const Json& object);

/// Whether the object is in the quota's scopes. A quota with scopes only applies to pods.
bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object);

/// The fault if a quota limits cpu or memory and a container does not declare it: "must specify limits.cpu
/// for: main". Empty if nothing is missing.
std::string missing_requests(const Amounts& hard, const Json& pod);

/// An amount in the API's format: "100m", "4", "2k" or "1Gi".
std::string amount_text(const std::string& name, int64_t thousandths);

/// The usage of each ResourceQuota, updated after each write to the store. Counting one more pod therefore
/// takes the same time however many pods exist. Subscribes to the store, and must live for as long as the
/// store.
class Quotas {
 public:
  explicit Quotas(Store& store);

  /// Throws 403 if the new object would exceed a quota of its namespace, or does not declare how much of a
  /// limited resource it uses (k8s.io/apiserver/pkg/admission/plugin/resourcequota).
  void check(const api::ResourceKind& kind, const Json& object) const;

  /// The quota's status: {hard, used}; null if no such quota exists.
  Json status_of(const std::string& namespace_name, const std::string& name) const;

 private:
  struct Quota {
    ObjectPtr object;
    Amounts hard, used;
    uint64_t counted_to = 0;  ///< the store's revision when everything was last counted
  };

  void on_event(const StoreEvent& event);
  void count_all(const ObjectPtr& quota);

  Store& store_;
  std::map<std::string, std::map<std::string, Quota>> by_namespace_;
};

}  // namespace kml::local
