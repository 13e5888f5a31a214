#pragma once

#include <functional>

#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Ends all that runs before the server stops: suspends the jobs, so that `kml resume` continues them later,
/// deletes other pods, and calls back when no pod runs any more. Where the disk has no room for that, it
/// tries again until it has.
class StopJobs {
 public:
  StopJobs(EventLoop& loop, Store& store, std::function<void()> done);
  void begin() { queue_.add("all"); }

 private:
  void end_all();
  void check();

  Store& store_;
  std::function<void()> done_;
  WorkQueue queue_;
  bool begun_ = false;
};

}  // namespace kml::local
