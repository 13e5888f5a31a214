#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A waiting or running job, or a pod without a job.
struct QueueEntry {
  JobView job;       ///< kind "Pod" for a pod
  int position = 0;  ///< from 1 among waiting entries of the same queue; 0 for a running or suspended one
  long long priority = 0;
  /// When its oldest waiting pod was created. A preempted job's new pod therefore queues behind older ones.
  /// In Kueue's queues, since its Workload was created or last evicted.
  Time waiting_since = {};
  std::string gpu_type;         ///< the name for `--gpus`; empty if any type will do
  long long gpus_held = 0;      ///< by its scheduled pods
  std::string queue;            ///< Kueue's LocalQueue; empty if the scheduler alone decides
  std::string cluster_queue;    ///< the ClusterQueue behind it, if known
  std::optional<Time> ends_by;  ///< the end of its time limit, if it runs and has one
  /// The training's own estimate, from TrainJob's trainerStatus or its log.
  std::optional<Time> ends_at;
  std::optional<Time> saved_at;  ///< its last checkpoint, if its log was read
  std::string first_pod;         ///< the first running pod by name: rank 0
  int restarts = 0;              ///< restarts of containers plus failed pods
  /// The job, valid as long as the entry; null if only pods are known.
  const Json* object = nullptr;
};

/// "namespace/Kind/name": never changes.
std::string id_of(const QueueEntry& entry);

/// All waiting and running entries, updated object by object. Accepts jobs of all kinds, pods,
/// PriorityClasses, and Kueue's Workloads and LocalQueues, in any order. Ignores other objects.
class JobQueue {
 public:
  JobQueue();
  ~JobQueue();
  JobQueue(JobQueue&&) noexcept;
  JobQueue& operator=(JobQueue&&) noexcept;

  void put(Json object);
  /// The deleted object needs only kind, namespace and name.
  void remove(const Json& object);

  /// Tells the queue that the user may not list jobs of this kind; their pods then represent them.
  void cannot_see(std::string_view kind);
  /// Sets a position, from 1, that Kueue's visibility API reports. It takes precedence.
  void set_kueue_position(const std::string& namespace_name, const std::string& workload, int position);

  /// Sets what an entry's log reports: the expected end of its training, and its last checkpoint. `id` is
  /// from id_of().
  void set_progress(const std::string& id, std::optional<Time> ends_at, std::optional<Time> saved_at);

  /// First the running entries. Then the waiting ones by queue, in scheduling order: by priority, then by
  /// waiting time. Last the suspended ones. Valid until the next change.
  const std::vector<const QueueEntry*>& entries();
  /// The entries that are new or have changed since the previous entries().
  const std::vector<const QueueEntry*>& fresh() const;

  /// The LocalQueues that jobs name, as "namespace/name".
  std::set<std::string> kueue_queues() const;

  /// Visits each job, including ended ones, with its pods and its entry. `job` is null if it cannot be read.
  /// Entries are up to date after entries().
  using Visit = std::function<void(const Json& job, const std::vector<Json>& pods, const QueueEntry& entry)>;
  void each(const Visit& visit) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The state of a cluster's queue.
struct QueueState {
  JobQueue queue;
  std::vector<Json> nodes;  ///< empty if the user may not read them
  /// Set if only this namespace is readable. Positions are then those among its jobs.
  std::string only_namespace;
  std::vector<std::string> unseen;  ///< what the user may not read: "nodes"
};

/// Reads all namespaces, because they share the nodes, or only `namespace_name` if the user may not read the
/// others. Sends all list requests at once, then those for Kueue if a job is in one of its queues. Throws
/// Error if the user may not even read the namespace's pods.
QueueState read_queue(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::job
