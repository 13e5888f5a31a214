#pragma once

#include <functional>

#include "local/store/store.h"

namespace kml::local {

/// Ends all that runs before the server stops: suspends the jobs, so that `kml resume` continues them later,
/// deletes other pods, and calls back when no pod runs any more.
class StopJobs {
 public:
  StopJobs(Store& store, std::function<void()> done);
  void begin();

 private:
  void check();

  Store& store_;
  std::function<void()> done_;
  bool begun_ = false;
};

}  // namespace kml::local
