#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kml::jobs {

/// Amounts by resource: all of one simulation in the same order.
using Needs = std::vector<int64_t>;

/// What the scheduler will have to do with, in numbers alone.
struct Cluster {
  std::vector<Needs> free;                    ///< by node
  std::vector<std::vector<bool>> node_suits;  ///< by shape and node: selectors, affinity, taints
  std::vector<Needs> shapes;                  ///< what one pod of the shape asks for

  struct Running {
    size_t node;
    Needs holds;
    size_t job;  ///< pods of one job end together: index for `left`
  };
  std::vector<Running> running;

  struct Waiting {
    size_t shape;
    int pods;
    long long priority = 0;
  };
  std::vector<Waiting> waiting;  ///< in the order in which the scheduler tries them
};

/// How long jobs take in one course of events; nothing for one that does not end.
struct Course {
  std::vector<std::optional<std::chrono::seconds>> left;   ///< of Running::job
  std::vector<std::optional<std::chrono::seconds>> takes;  ///< of Waiting

  /// What comes later, and may fit where what waits does not.
  struct Arrival {
    std::chrono::seconds at;
    Cluster::Waiting job;
    std::optional<std::chrono::seconds> takes;
  };
  std::vector<Arrival> arrivals = {};  ///< by time
};

/// When each of `waiting` has all its pods on nodes, from now; nothing if that never comes. As
/// kube-scheduler does: pod by pod, by order; what does not fit holds up nothing behind it, and keeps what it
/// has got.
std::vector<std::optional<std::chrono::seconds>> simulate(const Cluster& cluster, const Course& course);

}  // namespace kml::jobs
