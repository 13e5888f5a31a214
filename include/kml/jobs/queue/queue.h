#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/views/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A job, or a pod that is of none, which waits or runs.
struct QueueEntry {
  JobView job;       ///< kind "Pod" for a pod
  int position = 0;  ///< from 1 among those that wait in the same queue; 0 for one that runs or is suspended
  long long priority = 0;
  /// When its oldest waiting pod was made: a preempted job's new pod queues behind older ones. In Kueue's
  /// queues what Kueue orders by.
  Time waiting_since = {};
  std::string gpu_type;         ///< as `--gpus` calls it; empty if any will do
  long long gpus_held = 0;      ///< by its pods on nodes
  std::string queue;            ///< Kueue's LocalQueue; empty if the scheduler alone decides
  std::string cluster_queue;    ///< the ClusterQueue behind it, where known
  std::optional<Time> ends_by;  ///< its time limit, where it runs and has one
  /// What its training says itself: TrainJob's trainerStatus, or its log.
  std::optional<Time> ends_at;
  std::optional<Time> saved_at;  ///< its last checkpoint, where its log was read
  std::string first_pod;         ///< that runs, by name: rank 0
  int restarts = 0;              ///< of containers, and pods that failed
  /// The job itself, as long as the entry lives; null where only pods are known.
  const Json* object = nullptr;
};

/// "namespace/Kind/name": stays the same over all changes.
std::string id_of(const QueueEntry& entry);

/// All that waits and runs, kept up to date object by object. Takes jobs of all kinds, pods, PriorityClasses,
/// and Kueue's Workloads and LocalQueues, in any order; others are passed over.
class JobQueue {
 public:
  JobQueue();
  ~JobQueue();
  JobQueue(JobQueue&&) noexcept;
  JobQueue& operator=(JobQueue&&) noexcept;

  void put(Json object);
  /// Of a deleted object no more may be known than its kind, namespace and name.
  void remove(const Json& object);

  /// Jobs of this kind cannot be listed: what their pods tell stands for them.
  void cannot_see(std::string_view kind);
  /// By Kueue's visibility API, from 1: where it is served it knows best.
  void set_kueue_position(const std::string& namespace_name, const std::string& workload, int position);

  /// What the log of an entry, named by id_of(), told: when its training will end, and its last checkpoint.
  void set_progress(const std::string& id, std::optional<Time> ends_at, std::optional<Time> saved_at);

  /// What runs, then what waits, by queue, in the order in which it will be tried: by priority, then by how
  /// long it waits; then what is suspended. Valid until the next change.
  const std::vector<const QueueEntry*>& entries();
  /// Those of them that are new or have changed since the entries() before.
  const std::vector<const QueueEntry*>& fresh() const;

  /// The LocalQueues, "namespace/name", that jobs name.
  std::set<std::string> kueue_queues() const;

  /// Each job, ended ones too, null if it cannot be seen; its pods; and its line, which is up to date
  /// after entries().
  using Visit = std::function<void(const Json& job, const std::vector<Json>& pods, const QueueEntry& entry)>;
  void each(const Visit& visit) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The queue as a cluster shows it.
struct QueueState {
  JobQueue queue;
  std::vector<Json> nodes;  ///< empty if they may not be seen
  /// Where only this namespace can be seen: positions count its jobs alone.
  std::string only_namespace;
  std::vector<std::string> unseen;  ///< what may not be read: "nodes"
};

/// Reads all namespaces, since all wait for the same nodes, and where that is forbidden `namespace_name`. All
/// lists are asked for at once, then Kueue's where a job is in one of its queues. Throws Error if not even
/// the namespace's pods may be read.
QueueState read_queue(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::jobs
