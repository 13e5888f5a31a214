#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "job/queue/simulate.h"

namespace kml::job {

/// The pods on the nodes that the scheduler may preempt. Unlike simulate(), this class looks only at the
/// present.
class Preemption {
 public:
  /// `cluster.free` counts all pods on the nodes, also those that are stopping. The cluster must outlive this
  /// object.
  explicit Preemption(const Cluster& cluster) : cluster_(cluster), after_stops_(cluster.free) {}

  /// Adds a pod that keeps running or, with `is_stopping`, one whose resources will soon be free.
  void add(size_t node, const Needs& holds, long long priority, bool is_stopping);

  /// Whether the scheduler may preempt running pods for the waiting job: without the pods of lower priority,
  /// at least one more of the job's pods would fit. A gang must fit as a whole.
  bool find_victims(const Cluster::Waiting& waiting, bool is_gang);

 private:
  struct Pod {
    size_t node;
    Needs holds;
    long long priority;
  };
  /// The free resources on each node if all pods with a lower priority were removed.
  const std::vector<Needs>& room_without_below(long long priority);
  bool fit(size_t shape, int pods, std::vector<Needs> room) const;

  const Cluster& cluster_;
  std::vector<Needs> after_stops_;
  std::vector<Pod> running_;
  std::map<long long, std::vector<Needs>> rooms_;
  std::map<std::tuple<size_t, int, long long>, bool> known_;
};

}  // namespace kml::job
