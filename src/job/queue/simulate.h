#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kml::job {

/// Amounts of resources. Within a simulation, all amounts list the resources in the same order.
using Needs = std::vector<int64_t>;

inline bool fits(const Needs& needs, const Needs& free) {
  for (size_t i = 0; i < needs.size(); ++i)
    if (needs[i] > free[i]) return false;
  return true;
}

/// The scheduler's input as numbers.
struct Cluster {
  std::vector<Needs> free;  ///< by node
  /// whether a node accepts pods of a shape (selectors, affinity, tolerations): by shape, then by node
  std::vector<std::vector<bool>> node_suits;
  std::vector<Needs> shapes;  ///< the requests of one pod of each shape

  struct Running {
    size_t node;
    Needs holds;
    size_t job;  ///< index into Course::left; the pods of one job end together
  };
  std::vector<Running> running;

  struct Waiting {
    size_t shape;
    int pods;
    long long priority = 0;
  };
  std::vector<Waiting> waiting;  ///< the waiting jobs, in the order in which the scheduler tries them
};

/// How long jobs run in one simulated course; empty for a job that does not end.
struct Course {
  std::vector<std::optional<std::chrono::seconds>> left;  ///< by Running::job
  std::vector<std::optional<std::chrono::seconds>>
      takes;  ///< the time that each job takes, in the order of Cluster::waiting

  /// A job that arrives later, and may fit where a waiting job does not.
  struct Arrival {
    std::chrono::seconds at;
    Cluster::Waiting job;
    std::optional<std::chrono::seconds> takes;
  };
  std::vector<Arrival> arrivals = {};  ///< the arrivals, sorted by time
};

/// How long each of `waiting` takes to have all its pods on nodes; empty if that never happens. Like
/// kube-scheduler, places one pod after another, in order. A job that does not fit does not block later jobs,
/// and its placed pods keep their nodes.
std::vector<std::optional<std::chrono::seconds>> simulate(const Cluster& cluster, const Course& course);

}  // namespace kml::job
