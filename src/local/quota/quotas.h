#pragma once

#include <map>
#include <string>

#include "local/quota/usage.h"
#include "local/store/store.h"

namespace kml::local {

/// What is used of each ResourceQuota, kept up with the store: a pod of ten thousand costs as much as the
/// first. Subscribes to the store, and has to live as long.
class Quotas {
 public:
  explicit Quotas(Store& store);

  /// Throws 403 where the new object would exceed a quota of its namespace, or does not say what it takes
  /// of what one limits (k8s.io/apiserver/pkg/admission/plugin/resourcequota).
  void check(const api::ResourceKind& kind, const Json& object) const;

  /// The status of a quota of that name: {hard, used}; null where there is none.
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
