#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "job/queue/simulate.h"

namespace kml::job {

/// Decides which waiting jobs can start because the scheduler may preempt running pods. Unlike simulate(),
/// this class looks only at the present.
class Preemption {
 public:
  /// In `cluster.free`, the resources of all pods on the nodes are in use, including those of pods that are
  /// stopping. The cluster must outlive this object.
  explicit Preemption(const Cluster& cluster) : cluster_(cluster), after_stops_(cluster.free) {}

  /// Adds a pod that keeps running or, with `is_stopping`, one whose resources will soon be free.
  void add(size_t node, const Needs& holds, long long priority, bool is_stopping);

  /// Whether the scheduler may preempt running pods for the waiting job: none of the job's waiting pods fits,
  /// even once the stopping pods have stopped, but one would fit without the pods of lower priority. A gang
  /// must fit as a whole.
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
