#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "local/loop/event_loop.h"

namespace kml::local {

/// The keys of what a controller has to look at again. Several events of a turn lead to one look; a look
/// that fails (a full disk) is repeated a second later.
class WorkQueue {
 public:
  WorkQueue(EventLoop& loop, std::function<void(const std::string& key)> look);
  ~WorkQueue();

  void add(const std::string& key);
  /// Now, not at the end of the turn.
  void look_at(const std::string& key);
  /// Looks at it at that time at the latest.
  void add_after(const std::string& key, std::chrono::nanoseconds delay);
  void forget(const std::string& key);

 private:
  void work();

  EventLoop& loop_;
  std::function<void(const std::string&)> look_;
  std::set<std::string> keys_;
  std::vector<std::string> order_;  ///< of the keys: first come, first served
  std::map<std::string, EventLoop::Timer> timers_;
  bool deferred_ = false;
};

}  // namespace kml::local
