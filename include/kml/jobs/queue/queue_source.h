#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/jobs/queue/queue.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The queue as a cluster shows it.
struct QueueState {
  JobQueue queue;
  std::vector<Json> nodes;  ///< empty where they may not be seen
  /// Where only this namespace can be seen: positions count its jobs alone.
  std::string only_namespace;
  std::vector<std::string> unseen;  ///< what may not be read: "nodes"
};

/// Reads all namespaces, since all wait for the same nodes, and where that is forbidden `namespace_name`. All
/// lists are asked for at once, then Kueue's where a job is in one of its queues. Throws Error where not even
/// the namespace's pods may be read.
QueueState read_queue(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::jobs
