#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kml::job {

/// Amounts of resources. All have the same order of resources throughout a simulation.
using Needs = std::vector<int64_t>;

/// The scheduler's input as numbers.
struct Cluster {
  std::vector<Needs> free;                    ///< by node
  std::vector<std::vector<bool>> node_suits;  ///< by shape (selectors, affinity, tolerations) and node
  std::vector<Needs> shapes;                  ///< the requests of one pod of the shape

  struct Running {
    size_t node;
    Needs holds;
    size_t job;  ///< index into `left`; pods of one job end together
  };
  std::vector<Running> running;

  struct Waiting {
    size_t shape;
    int pods;
    long long priority = 0;
  };
  std::vector<Waiting> waiting;  ///< in the order in which the scheduler tries them
};

/// The durations of jobs in one simulated course; empty for jobs that do not end.
struct Course {
  std::vector<std::optional<std::chrono::seconds>> left;   ///< by Running::job
  std::vector<std::optional<std::chrono::seconds>> takes;  ///< in the order of Cluster::waiting

  /// A job that arrives later, and may fit where waiting jobs do not.
  struct Arrival {
    std::chrono::seconds at;
    Cluster::Waiting job;
    std::optional<std::chrono::seconds> takes;
  };
  std::vector<Arrival> arrivals = {};  ///< sorted by time
};

/// The time from now until each of `waiting` has all its pods on nodes; empty if never. Like kube-scheduler,
/// places pod by pod, in order. A job that does not fit does not block later ones, and keeps the nodes of its
/// placed pods.
std::vector<std::optional<std::chrono::seconds>> simulate(const Cluster& cluster, const Course& course);

}  // namespace kml::job
