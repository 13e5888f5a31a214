#pragma once

#include "local/loop/work_queue.h"
#include "local/quota/quotas.h"

namespace kml::local {

/// Writes the current usage into the status of each ResourceQuota.
class QuotaController {
 public:
  QuotaController(EventLoop& loop, Store& store);
  void recover();

 private:
  void look(const std::string& key);

  Store& store_;
  Quotas quotas_;
  WorkQueue queue_;
};

}  // namespace kml::local
