#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "job/queue/simulate.h"

namespace kml::job {

/// The pods on the nodes, as far as the scheduler may preempt them. Other than simulate(), it does not look
/// ahead.
class Preemption {
 public:
  /// `cluster.free` counts all pods on the nodes, also those that are stopping. The cluster must outlive this
  /// object.
  explicit Preemption(const Cluster& cluster) : cluster_(cluster), after_stops_(cluster.free) {}

  /// A pod that runs on, or one that is stopping, whose room will be free soon.
  void add(size_t node, const Needs& holds, long long priority, bool is_stopping);

  /// Whether the scheduler may preempt running pods for the waiting job: with all of lower priority gone, at
  /// least one of its pods would fit that does not fit otherwise. A gang must fit as a whole.
  bool find_victims(const Cluster::Waiting& waiting, bool is_gang);

 private:
  struct Pod {
    size_t node;
    Needs holds;
    long long priority;
  };
  /// The room on each node without the pods below the priority.
  const std::vector<Needs>& room_without_below(long long priority);
  bool fit(size_t shape, int pods, std::vector<Needs> room) const;

  const Cluster& cluster_;
  std::vector<Needs> after_stops_;
  std::vector<Pod> running_;
  std::map<long long, std::vector<Needs>> rooms_;
  std::map<std::tuple<size_t, int, long long>, bool> known_;
};

}  // namespace kml::job
