#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kml::jobs {

/// Amounts by resource, in the same order throughout a simulation.
using Needs = std::vector<int64_t>;

/// The scheduler's input as numbers.
struct Cluster {
  std::vector<Needs> free;                    ///< by node
  std::vector<std::vector<bool>> node_suits;  ///< by shape and node: selectors, affinity, taints
  std::vector<Needs> shapes;                  ///< the requests of one pod of the shape

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

/// The durations of jobs in one simulated course; empty for a job that does not end.
struct Course {
  std::vector<std::optional<std::chrono::seconds>> left;   ///< of Running::job
  std::vector<std::optional<std::chrono::seconds>> takes;  ///< of Waiting

  /// A job that arrives later, and may fit where waiting jobs do not.
  struct Arrival {
    std::chrono::seconds at;
    Cluster::Waiting job;
    std::optional<std::chrono::seconds> takes;
  };
  std::vector<Arrival> arrivals = {};  ///< by time
};

/// The time from now until each of `waiting` has all its pods on nodes; empty if never. Like kube-scheduler,
/// places pod by pod, in order. A job that does not fit does not block later ones, and keeps the nodes of its
/// placed pods.
std::vector<std::optional<std::chrono::seconds>> simulate(const Cluster& cluster, const Course& course);

}  // namespace kml::jobs
