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

/// A pod in the form that users see.
struct PodView {
  std::string name;
  std::string
      /// the phase in the API; "Stopping" while the pod is being deleted, "Unknown" if its node does not
      /// respond
      phase;
  std::string node;
  std::optional<Time> started, finished;
  /// the exit code of crash_before_stop() or, without such a crash, of the first container that failed; if
  /// none failed, of the first main container that ended
  std::optional<int> exit_code;
  std::string cause;          ///< why the pod waits or has failed, in a few words; may be empty
  bool cannot_start = false;  ///< whether the pod cannot start unless something is changed
};

/// The view without its cause, which view_of_pod() in why.h adds.
PodView basic_view_of_pod(const Json& pod);

/// Whether the pod's node does not respond. The node's controller then sets the pod's condition Ready to
/// False, but leaves the phase Running and the states of the containers unchanged (Kubernetes'
/// pkg/controller/nodelifecycle).
bool is_on_lost_node(const Json& pod);

/// Whether the pod is in the scheduler's queue: it has no node, is not being deleted, and no gate holds it.
bool waits_for_node(const Json& pod);

/// Whether this is a reason for which a Job fails because of its pods. The embedded server also sets this
/// reason on the pods that it stops because their Job has failed.
bool is_reason_of_job(std::string_view reason);

/// The last crash of a container (restartPolicy OnFailure) in a pod that was stopped because its job failed,
/// as the state `terminated`. The restart after the crash used up the job's retries, so the crash is why the
/// job failed. nullptr if the pod was not stopped for this reason, or if no container crashed.
const Json* crash_before_stop(const Json& pod);

/// The scheduler's message without redundant parts. It has the form "0/3 nodes are available: 1 Insufficient
/// nvidia.com/gpu, … preemption: …".
std::string short_scheduler_message(std::string_view message);

/// The task numbers of an array, from one of its pods or its pod template. Empty if the numbers are equal to
/// the indexes.
std::optional<spec::TaskNumbers> task_numbers(const Json& pod);

/// Which pod of its job this is: "3" in an Indexed Job, "worker-1" in a PyTorchJob. Empty if the pods of the
/// job are all alike.
std::string index_in_job(const Json& pod);

/// The short name of a pod within its job: "0", "worker-1" or "x7f2q".
std::string short_pod_name(const Json& pod, std::string_view job_name);

/// The rank of a pod in its job, from 0, if the pods of the job have an order. This is the completion index;
/// for a task of an array, the task's number; in a PyTorchJob, the master comes before the workers. A job's
/// only pod has rank 0. `job` may be null.
std::optional<int> rank_of(const Json& pod, const Json* job);

/// The pod that was created last; nullptr if `pods` is empty.
const Json* newest_of(std::span<const Json* const> pods);

/// Numbers the pods of each rank in a job, in the order of the calls.
class Attempts {
 public:
  /// The number of the pod with this uid among the pods of its rank, from 1.
  int number_of(const std::string& place, const std::string& uid);

 private:
  std::map<std::string, std::vector<std::string>> uids_;
};

}  // namespace kml::job
