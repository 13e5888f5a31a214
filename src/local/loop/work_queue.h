#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "local/loop/event_loop.h"

namespace kml::local {

/// The keys of objects that a controller must reconcile. If several events in a turn have the same key, calls
/// back only once. If the callback fails (because the disk is full, for example), calls back again after a
/// second.
class WorkQueue {
 public:
  WorkQueue(EventLoop& loop, std::function<void(const std::string& key)> look);
  ~WorkQueue();

  void add(const std::string& key);
  /// Reconciles the key at once, not at the end of the turn.
  void look_at(const std::string& key);
  /// Reconciles the key after the delay, or earlier if it is added again.
  void add_after(const std::string& key, std::chrono::nanoseconds delay);
  void forget(const std::string& key);

 private:
  void defer();
  void work();

  EventLoop& loop_;
  std::function<void(const std::string&)> look_;
  std::set<std::string> keys_;
  std::deque<std::string> order_;  ///< the keys in the order in which they were added
  std::map<std::string, EventLoop::Timer> timers_;
  bool deferred_ = false;
};

}  // namespace kml::local
