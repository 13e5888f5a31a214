#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"

namespace kml::kube {

enum class Change { added, modified, deleted };

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  /// Random numbers in [0, 1) for delays; the default is the system's generator.
  std::function<double()> random = {};
  bool is_patient = false;  ///< retries the first list too, if the server is unreachable or failing
};

/// Keeps a view of a collection up to date: lists, then watches with bookmarks, resumes at the last
/// resourceVersion, lists again after 410, and backs off with jitter. If the server supports streaming lists
/// (KEP-3157), the list arrives as the watch's first events. This saves a request, and the server need not
/// build the list in memory. All callbacks run inside Transport::wait and may destroy the watch.
struct WatchHandler {
  /// Called for each object of the first list (added), then for each change. If an object was deleted while
  /// the watch was interrupted, `object` has only namespace, name, uid and resourceVersion.
  std::function<void(Change, const Json& object)> on_change;
  /// Called once, after the first list.
  std::function<void()> on_synced;
  /// Called once when the watch has ended permanently: the first list failed (see is_patient), or the server
  /// rejected it (401, 403, 404 and the like).
  std::function<void(const Error&)> on_failure;
  /// Optional. Called with the delay before each retry after a failure.
  std::function<void(const Error&, std::chrono::milliseconds)> on_retry = {};
};

class Watch {
 public:
  virtual ~Watch() = default;
};

/// Destroy the result to stop. `client` must outlive it.
std::unique_ptr<Watch> watch(Client& client, const api::ResourceKind& kind, std::string namespace_name,
                             WatchOptions options, WatchHandler handler);

}  // namespace kml::kube
