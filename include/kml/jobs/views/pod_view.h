#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/spec/task_numbers.h"

namespace kml::jobs {

/// A pod as a person asks about it.
struct PodView {
  std::string name;
  std::string phase;  ///< of the API; "Stopping" where it is being deleted
  std::string node;
  std::optional<Time> started, finished;
  std::optional<int> exit_code;  ///< the first container's that failed, else of the first that ended
  std::string cause;             ///< why it waits or failed, in a few words; empty if there is nothing to say
};

/// Without its cause; view_of_pod() of explained_view.h has it.
PodView basic_view_of_pod(const Json& pod);

/// "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, … preemption: …" without what says nothing new.
std::string short_scheduler_message(std::string_view message);

/// The numbers of an array's tasks, of one of its pods or of its pod template; empty if they are its
/// indexes.
std::optional<spec::TaskNumbers> task_numbers(const Json& pod);

/// A short name of a pod among those of its job: "0", "worker-1", "x7f2q".
std::string short_pod_name(const Json& pod, std::string_view job_name);

/// A pod's place among its job's, from 0, if they have an order: a completion index, or with a PyTorchJob
/// the master and then its workers; of an array's task its number. `job` may be null.
std::optional<int> rank_of(const Json& pod, const Json* job);

/// The one that was made last; nullptr if there is none.
const Json* newest_of(std::span<const Json* const> pods);

/// Counts the pods of each place of a job, in the order in which they are asked for.
class Attempts {
 public:
  /// From 1; the same one for the same uid.
  int number_of(const std::string& place, const std::string& uid);

 private:
  std::map<std::string, std::vector<std::string>> uids_;
};

}  // namespace kml::jobs
