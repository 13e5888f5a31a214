#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::job {

/// A pod, as shown to users.
struct PodView {
  std::string name;
  std::string
      phase;  ///< the API's; "Stopping" while it is being deleted, "Unknown" if its node does not answer
  std::string node;
  std::optional<Time> started, finished;
  std::optional<int> exit_code;  ///< of the first failed container, otherwise of the first ended one
  std::string cause;             ///< why it waits or failed, in a few words; may be empty
};

/// Without the cause; view_of_pod() in why.h adds it.
PodView basic_view_of_pod(const Json& pod);

/// Whether the pod's node does not answer. Its controller then sets the pod's condition Ready to False, and
/// leaves the phase Running and the states of the containers (pkg/controller/nodelifecycle of Kubernetes).
bool is_on_lost_node(const Json& pod);

/// The scheduler's message without its redundant parts: "0/3 nodes are available: 1 Insufficient
/// nvidia.com/gpu, … preemption: …".
std::string short_scheduler_message(std::string_view message);

/// The task numbers of an array, from one of its pods or its pod template; empty if they equal the indexes.
std::optional<spec::TaskNumbers> task_numbers(const Json& pod);

/// Which of its job's pods it is: "3" in an Indexed Job, "worker-1" of a PyTorchJob, "launcher" of an
/// MPIJob; empty if they are alike.
std::string index_in_job(const Json& pod);

/// A pod's short name within its job: "0", "worker-1", "x7f2q".
std::string short_pod_name(const Json& pod, std::string_view job_name);

/// A pod's rank in its job, from 0, if the job's pods have an order. This is the completion index; in a
/// PyTorchJob, the master comes before the workers. For an array's task, it is the task's number. `job` may
/// be null.
std::optional<int> rank_of(const Json& pod, const Json* job);

/// The most recently created pod; nullptr if `pods` is empty.
const Json* newest_of(std::span<const Json* const> pods);

/// Numbers the pods of each rank of a job, in the order of the calls.
class Attempts {
 public:
  /// From 1; always the same number for the same uid.
  int number_of(const std::string& place, const std::string& uid);

 private:
  std::map<std::string, std::vector<std::string>> uids_;
};

}  // namespace kml::job
