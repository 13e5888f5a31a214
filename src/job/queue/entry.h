#pragma once

#include <map>
#include <string>
#include <vector>

#include "job/queue/queue.h"
#include "kml/base/json.h"

namespace kml::job {

/// Values of priority classes by name; "" is the cluster's default.
using Priorities = std::map<std::string, long long, std::less<>>;

/// The objects behind one queue entry. Any of them may be missing.
struct QueueRecord {
  Json job, workload;
  std::vector<Json> pods;
};

/// `key` is "Kind/name"; needed if the entry has only pods. Does not set the position.
QueueEntry entry_of(const QueueRecord& record, const std::string& key, const Priorities& priorities);

}  // namespace kml::job
