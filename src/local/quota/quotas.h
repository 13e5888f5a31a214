#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kml/api/quantity.h"
#include "kml/api/resource.h"
#include "local/store/store.h"

namespace kml::local {

// What ResourceQuotas count, as k8s.io/kubernetes/pkg/quota/v1/evaluator/core does.

/// By the names that a quota has for them ("requests.cpu", "pods", "count/jobs.batch"), in thousandths.
using Amounts = api::Amounts;

/// What device plugins and their like offer, as nvidia.com/gpu: a whole number, never more requested than
/// given.
inline bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

/// What one object takes of the quotas of its namespace. A pod that has ended takes only its place in
/// "count/pods". Its requests are complete: admission has set those that follow limits.
Amounts usage_of(const api::ResourceKind& kind, const Json& object);

/// Whether the quota's scopes mean this object; those that have any mean pods alone.
bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object);

/// "must specify limits.cpu for: main": a pod has to say what it takes of cpu and memory where a quota
/// limits them. Empty if nothing is missing.
std::string missing_requests(const Amounts& hard, const Json& pod);

/// As the API writes it: "100m", "4", "2k", "1Gi".
std::string amount_text(const std::string& name, int64_t thousandths);

/// What is used of each ResourceQuota, kept up with the store: a pod of ten thousand costs as much as the
/// first. Subscribes to the store, and has to live as long.
class Quotas {
 public:
  explicit Quotas(Store& store);

  /// Throws 403 if the new object would exceed a quota of its namespace, or does not say what it takes
  /// of what one limits (k8s.io/apiserver/pkg/admission/plugin/resourcequota).
  void check(const api::ResourceKind& kind, const Json& object) const;

  /// The status of a quota of that name: {hard, used}; null if there is none.
  Json status_of(const std::string& namespace_name, const std::string& name) const;

 private:
  struct Quota {
    ObjectPtr object;
    Amounts hard, used;
    uint64_t counted_to = 0;  ///< the store's revision when all was counted
  };

  void on_event(const StoreEvent& event);
  void count_all(const ObjectPtr& quota);

  Store& store_;
  std::map<std::string, std::map<std::string, Quota>> by_namespace_;
};

}  // namespace kml::local
