#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Ends everything that is running before the server stops. Suspends jobs, so that `kml resume` can continue
/// them later; scales Deployments and ReplicaSets to zero; deletes other pods. Calls back when no pod is
/// running. If the disk is full, retries until there is space.
class StopJobs {
 public:
  StopJobs(EventLoop& loop, Store& store, std::function<void()> done);
  void begin() { queue_.add("all"); }

 private:
  void end_all();
  void see(const Json& pod, bool is_deleted);

  Store& store_;
  std::function<void()> done_;
  WorkQueue queue_;
  std::unordered_set<std::string> running_;  ///< the uids of pods that are still running
  bool begun_ = false;
};

/// Restores what StopJobs of an earlier server has stopped: Deployments, ReplicaSets, and the jobs of
/// schedules, sweeps and pipelines.
void bring_back_stopped(Store& store);

}  // namespace kml::local
