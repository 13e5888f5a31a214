#pragma once

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
};

/// Keeps a view of a collection up to date: lists, then watches with bookmarks, resumes at the last
/// resourceVersion, lists again after 410, backs off with jitter, stops on 401 and 403. One watch a kind and
/// namespace. Callbacks run inside Transport::wait. `on_change` is called for each object of the first list
/// (added), and then for each difference, deletions that happened in a gap included. `on_synced` is called
/// once after the first list. `on_failure` is called once, where the watch has ended for good.
struct WatchHandler {
  std::function<void(Change, const Json& object)> on_change;
  std::function<void()> on_synced;
  std::function<void(const Error&)> on_failure;
};

class Watch {
 public:
  virtual ~Watch() = default;
};

/// Destroy the result to stop. `client` must outlive it.
std::unique_ptr<Watch> watch(Client& client, const api::ResourceKind& kind, std::string namespace_name,
                             WatchOptions options, WatchHandler handler);

}  // namespace kml::kube
