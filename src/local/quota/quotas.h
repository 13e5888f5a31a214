#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/kube/objects/quantity.h"
#include "kml/kube/objects/resource.h"
#include "local/store/store.h"

namespace kml::local {

// Counts the usage of ResourceQuotas as k8s.io/kubernetes/pkg/quota/v1/evaluator/core does.

/// Thousandths by the resource names of quotas ("requests.cpu", "pods", "count/jobs.batch").
using Amounts = api::Amounts;

/// Whether it is an extended resource, such as nvidia.com/gpu. Its amounts are whole numbers, and its request
/// equals its limit.
inline bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

/// The usage that one object adds to the quotas of its namespace. A finished pod is only part of
/// "count/pods". The pod's requests must be complete: admission has already set the missing ones from the
/// limits.
Amounts usage_of(const api::ResourceKind& kind, const Json& object);

/// Whether the object is in the quota's scopes. A quota with scopes only counts pods.
bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object);

/// "must specify limits.cpu for: main": if a quota limits cpu or memory, each container must declare it.
/// Empty if nothing is missing.
std::string missing_requests(const Amounts& hard, const Json& pod);

/// In the API's format: "100m", "4", "2k", "1Gi".
std::string amount_text(const std::string& name, int64_t thousandths);

/// The usage of each ResourceQuota, updated with each write of the store, so that counting one more pod costs
/// the same however many exist. Subscribes to the store and must live as long as the store.
class Quotas {
 public:
  explicit Quotas(Store& store);

  /// Throws 403 if the new object would exceed a quota of its namespace, or does not declare its usage of a
  /// limited resource (k8s.io/apiserver/pkg/admission/plugin/resourcequota).
  void check(const api::ResourceKind& kind, const Json& object) const;

  /// The quota's status: {hard, used}; null if no such quota exists.
  Json status_of(const std::string& namespace_name, const std::string& name) const;

 private:
  struct Quota {
    ObjectPtr object;
    Amounts hard, used;
    uint64_t counted_to = 0;  ///< the store's revision at the last full count
  };

  void on_event(const StoreEvent& event);
  void count_all(const ObjectPtr& quota);

  Store& store_;
  std::map<std::string, std::map<std::string, Quota>> by_namespace_;
};

}  // namespace kml::local
