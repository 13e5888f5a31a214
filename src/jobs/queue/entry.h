#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/queue/queue.h"

namespace kml::jobs {

/// Values of priority classes by name; "" is the cluster's default.
using Priorities = std::map<std::string, long long, std::less<>>;

/// What belongs together as one line of the queue. Any part may be missing.
struct QueueRecord {
  Json job, workload;
  std::vector<Json> pods;
};

/// `key` is "Kind/name", for what has pods only. Its position is not set.
QueueEntry entry_of(const QueueRecord& record, const std::string& key, const Priorities& priorities);

}  // namespace kml::jobs
