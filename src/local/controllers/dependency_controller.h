#pragma once

#include <set>
#include <string>
#include <utility>

#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Starts a suspended job once its dependencies (api::Dependency) are met, unless it is also held. If one of
/// them can no longer be met, records why in the waiting job's annotation.
class DependencyController {
 public:
  DependencyController(EventLoop& loop, Store& store);
  void recover();

 private:
  using Place = std::pair<const api::ResourceKind*, std::string>;  ///< "NAMESPACE/NAME"

  void see(const StoreEvent& event);
  void look_at_all();
  void look(const api::ResourceKind& kind, const Json& job);

  Store& store_;
  WorkQueue queue_;
  std::set<Place> waiting_;
};

}  // namespace kml::local
