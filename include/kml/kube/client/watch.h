#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"

namespace kml::kube {

enum class Change { added, modified, deleted };

/// Called before each retry of a watch after a failure, with the delay.
using OnRetry = std::function<void(const Error&, std::chrono::milliseconds)>;

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  /// Returns random numbers in [0, 1) for delays. The default is the system's generator.
  std::function<double()> random = {};
  /// whether the first list is retried, too, if the server is unreachable or failing
  bool is_patient = false;
};

/// Keeps a view of a collection up to date: lists the objects, then watches them with bookmarks, resumes at
/// the last resourceVersion, lists again after a 410, and waits longer after each further failure. If the
/// server supports streaming lists (KEP-3157), the list arrives as the first events of the watch, which saves
/// a request and memory on the server. All callbacks are called during Transport::wait, and may destroy the
/// watch.
struct WatchHandler {
  /// Called for each object in the first list (as added), then for each change. If an object was deleted
  /// while the watch was interrupted, `object` only has namespace, name, uid and resourceVersion.
  std::function<void(Change, const Json& object)> on_change;
  /// Called once, after the first list.
  std::function<void()> on_synced;
  /// Called once, if the watch has ended permanently: the first list failed (see is_patient), the server
  /// rejected the watch (401, 403, 404 and the like), or an object was too large.
  std::function<void(const Error&)> on_failure;
  /// Optional.
  OnRetry on_retry = {};
};

class Watch {
 public:
  virtual ~Watch() = default;
};

/// Destroy the result to stop the watch. `client` must outlive it.
std::unique_ptr<Watch> watch(Client& client, const api::ResourceKind& kind, std::string namespace_name,
                             WatchOptions options, WatchHandler handler);

}  // namespace kml::kube
