#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/kube/client/watch.h"

namespace kml::serve {

/// Objects of a namespace, kept up to date by watches.
class WatchedObjects {
 public:
  using Objects = std::map<std::string, Json>;  ///< by uid

  /// `client` must outlive this object. For `is_patient`, see kube::WatchOptions.
  WatchedObjects(kube::Client& client, std::string namespace_name, bool is_patient = false)
      : client_(client), namespace_(std::move(namespace_name)), is_patient_(is_patient) {}
  WatchedObjects(const WatchedObjects&) = delete;
  WatchedObjects& operator=(const WatchedObjects&) = delete;

  /// Watches objects and returns them. The result changes inside Transport::wait, and is valid as long as
  /// this object.
  const Objects& add(const api::ResourceKind& kind, kube::WatchOptions options);
  /// Whether each watch has received its first list. If a watch has failed, throws its error.
  bool are_complete() const;
  /// Whether something has changed since the last call.
  bool take_change() { return std::exchange(has_changed_, false); }

 private:
  kube::Client& client_;
  std::string namespace_;
  bool is_patient_, has_changed_ = false;
  std::deque<Objects> objects_;
  size_t synced_ = 0;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

}  // namespace kml::serve
