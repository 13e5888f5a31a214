#pragma once

#include "local/loop/work_queue.h"
#include "local/store/store.h"

namespace kml::local {

/// Deletes Jobs and PyTorchJobs once ttlSecondsAfterFinished have passed since they finished.
class TtlController {
 public:
  TtlController(EventLoop& loop, Store& store, const Clock& clock);
  void recover();

 private:
  void see(const api::ResourceKind& kind, const Json& job);
  void look(const std::string& key);

  Store& store_;
  const Clock& clock_;
  WorkQueue queue_;
};

}  // namespace kml::local
