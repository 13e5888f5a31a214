#pragma once

#include <functional>

#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Ends everything that runs before the server stops: suspends jobs, so that `kml resume` can continue them
/// later, deletes other pods, and calls back when no pod is running. If the disk is full, it retries until
/// there is space.
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
