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

/// A job that has not ended, or a pod or PodGroup without a job.
struct QueueEntry {
  JobView job;  ///< the kind is "Pod" for a pod
  /// The place in its queue, from 1, of an entry that the scheduler tries, or that Kueue holds. 0 for other
  /// entries, such as jobs whose pods a quota rejects, and jobs between two attempts.
  int position = 0;
  long long priority = 0;
  bool may_preempt = true;  ///< whether its priority class lets it preempt jobs of lower priority
  /// When the entry's oldest waiting pod was created. A preempted job's new pod therefore queues behind older
  /// ones. In a Kueue queue, when the entry's Workload was created or last evicted.
  Time waiting_since = {};
  std::string gpu_type;         ///< the name to use in `--gpus`; empty if any type is suitable
  long long gpus_held = 0;      ///< GPUs of its pods that have a node
  std::string queue;            ///< the entry's Kueue LocalQueue; empty if only the scheduler decides
  std::string cluster_queue;    ///< the LocalQueue's ClusterQueue, if known
  std::optional<Time> ends_by;  ///< when a running entry reaches its time limit, if it has one
  /// When the training itself expects to end, from the TrainJob's trainerStatus or its log.
  std::optional<Time> ends_at;
  std::optional<Time> saved_at;  ///< when the last checkpoint was saved, if the log was read
  std::string first_pod;         ///< the first running pod by name, usually that of rank 0
  int restarts = 0;              ///< restarts of containers, plus failed pods
  bool is_stopping = false;      ///< all of its pods with a node are being deleted, as after a preemption
  /// The job, valid for as long as the entry; null if only pods are known.
  const Json* object = nullptr;

  /// Whether the entry is ending: its pods are being deleted, or its time limit has passed.
  bool is_ending(Time now) const { return is_stopping || (ends_by && *ends_by <= now); }
};

/// "namespace/Kind/name": never changes.
std::string id_of(const QueueEntry& entry);

/// How a queue keeps its objects.
enum class QueueForm {
  /// Has entries. If thousands of pods arrive, keeps most of them packed, see PackedObjects.
  whole,
  /// Keeps all objects packed, which needs much less memory. Has no entries: only take_changes() shows what
  /// is in the queue.
  packed,
};

/// How a line of a packed queue has changed.
struct QueueChange {
  const std::string& id;              ///< the id of the line, which never changes
  const QueueEntry* entry = nullptr;  ///< the entry, whose `position` is Kueue's, or 0; null if the line has
                                      ///< no job and is not listed
  bool is_listed = false;             ///< whether entries() would list the entry
  std::string order =
      {};  ///< for a listed entry: these texts, compared as bytes, have the order of entries()
  std::optional<std::string> group =
      {};  ///< for a waiting entry: its position is counted among the entries with the same text
  std::span<const Json> pods = {};
};

/// The entries of all jobs that have not ended, updated one object at a time. Accepts jobs of all kinds,
/// pods, PriorityClasses, and Kueue's Workloads and LocalQueues, in any order. Ignores other objects.
class JobQueue {
 public:
  explicit JobQueue(QueueForm form = QueueForm::whole);
  ~JobQueue();
  JobQueue(JobQueue&&) noexcept;
  JobQueue& operator=(JobQueue&&) noexcept;

  void put(Json object);
  /// The deleted object needs only kind, namespace and name, and what pods_key() reads.
  void remove(const Json& object);

  /// Records that the user may not list jobs of this kind. Their pods then become entries of the queue.
  void cannot_see(std::string_view kind);
  /// Records that the cluster certainly does not have Kueue, so that nothing admits the jobs in its queues.
  void lacks_kueue();
  /// Sets a position, from 1, that Kueue's visibility API reports. It takes precedence over the computed one.
  void set_kueue_position(const std::string& namespace_name, const std::string& workload, int position);

  /// Sets what the entry's log shows: when the training expects to end, and when it saved its last
  /// checkpoint. `id` comes from id_of().
  void set_progress(const std::string& id, std::optional<Time> ends_at, std::optional<Time> saved_at);

  /// First the running entries, then those whose pods have nodes, then those that have a position, by queue
  /// and in scheduling order (by priority, then by waiting time), then the other waiting ones, and last the
  /// suspended ones. Valid until the next change.
  const std::vector<const QueueEntry*>& entries();
  /// The entries that are new or have changed since the previous entries().
  const std::vector<const QueueEntry*>& fresh() const;

  /// For a packed queue: what has changed since the last call. Includes ended jobs.
  void take_changes(const std::function<void(const QueueChange& change)>& take);

  /// The job in the queue that job_key_of_pod() names, which may not be the pod's: see has_pod(). Empty if
  /// there is none.
  std::optional<Json> job_of(const Json& pod) const;

  /// The LocalQueues that jobs refer to, as "namespace/name".
  std::set<std::string> kueue_queues() const;

  /// Visits each job, including ended jobs, with its pods and its entry. `job` is null if it cannot be read.
  /// Call entries() first, to bring the entries up to date.
  using Visit = std::function<void(const Json& job, const std::vector<Json>& pods, const QueueEntry& entry)>;
  void each(const Visit& visit) const;
  /// Like each(), but without the pods, which takes less time.
  void each_job(const std::function<void(const Json& job, const QueueEntry& entry)>& visit) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The state of a cluster's queue.
struct QueueState {
  JobQueue queue;
  std::vector<Json> nodes;  ///< the cluster's nodes; empty if the user may not list nodes
  /// Set if only this namespace is readable. Positions are then relative to its jobs only.
  std::string only_namespace;
  std::vector<std::string> unseen;  ///< the kinds that the user may not read, such as "nodes"
};

/// Reads all namespaces, because they share the nodes. If the user may not read the others, only reads
/// `namespace_name`. Sends all list requests at once, then the requests for Kueue if a job is in one of its
/// queues. Throws Error if the user may not even list the namespace's pods.
QueueState read_queue(kube::Client& client, const std::string& namespace_name);

}  // namespace kml::job
