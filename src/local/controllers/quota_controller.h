#pragma once

#include "local/loop/work_queue.h"
#include "local/quota/quotas.h"

namespace kml::local {

/// Shows in each ResourceQuota's status what is used of it.
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
