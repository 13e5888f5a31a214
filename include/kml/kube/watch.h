#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kml/api/resource.h"
#include "kml/kube/client.h"

namespace kml::kube {

enum class Change { added, modified, deleted };

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  /// Uniform in [0, 1), for delays; the machine's generator where not given.
  std::function<double()> random = {};
  bool is_patient = false;  ///< the first list, too, is tried again where the server is away or not well
};

/// Keeps a view of a collection up to date: lists, then watches with bookmarks, resumes at the last
/// resourceVersion, lists again after 410, and backs off with jitter. Lists come as the first events of the
/// watch (KEP-3157) where the server streams them: one request less, and no list that it has to put together.
/// All callbacks run inside Transport::wait, and may destroy the watch.
struct WatchHandler {
  /// Called for each object of the first list (added), and then for each difference. Of an object whose
  /// deletion happened in a gap, `object` has only namespace, name, uid and resourceVersion.
  std::function<void(Change, const Json& object)> on_change;
  /// Called once, after the first list.
  std::function<void()> on_synced;
  /// Called once, where the watch has ended for good: the first list failed (see is_patient), or the server
  /// refuses (401, 403, 404 and the like).
  std::function<void(const Error&)> on_failure;
  /// Where given, called when it tries again after a failure, with the delay.
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
