#pragma once

#include <map>
#include <string>
#include <vector>

#include "job/queue/queue.h"
#include "kml/base/json.h"

namespace kml::job {

struct PriorityClass {
  long long value = 0;
  bool may_preempt = true;
};
/// Priority classes by name. The name "" stands for the cluster's default.
using Priorities = std::map<std::string, PriorityClass, std::less<>>;

/// The objects from which an entry of the queue is made. Any of them may be missing.
struct QueueRecord {
  Json job, workload;
  std::vector<Json> pods;
};

/// `key` is "Kind/name", and is only needed if the record has no job. With `lacks_kueue`, the cluster
/// certainly does not have Kueue. Does not set the position.
QueueEntry entry_of(const QueueRecord& record, const std::string& key, const Priorities& priorities,
                    bool lacks_kueue);

}  // namespace kml::job
