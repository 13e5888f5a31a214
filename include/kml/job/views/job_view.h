#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/kinds/state.h"

namespace kml::job {

/// Why a job is not running or has failed, in the order of a job's life. cause_infos() in why/cause.h has the
/// texts, outlooks and meanings. The texts are stable.
enum class CauseCode {
  none,  ///< the cause is not known yet, or nothing is wrong
  not_due,
  suspended,
  dependency,
  queue_pending,
  queue_quota,
  queue_too_large,
  queue_missing,
  queue_stopped,
  queue_flavor,
  queue_namespace,
  queue_resource,
  queue_topology,
  queue_preempting,
  queue_blocked,
  queue_gated,
  queue_check,
  queue_preempted,
  queue_not_ready,
  queue_gave_up,
  controller_missing,
  state_unknown,
  no_pods,
  quota,
  quota_too_small,
  quota_wants_limits,
  limit_range,
  pod_security,
  service_account_missing,
  priority_class_missing,
  pods_refused,
  scheduling_gate,
  gang_incomplete,
  claim_pending,
  device_tainted,
  scheduling,
  no_nodes,
  node_selector,
  too_large,
  taint,
  cordoned,
  nodes_not_ready,
  resources_held,
  unschedulable,
  pod_affinity,
  host_port,
  volume_missing,
  volume_pending,
  volume_place,
  scaling_up,
  preempting,
  image_name_invalid,
  image_missing,
  image_forbidden,
  image_rate_limited,
  image_unreachable,
  image_never_pulled,
  image_platform,
  secret_missing,
  config_map_missing,
  container_config,
  volume_mount,
  pod_sandbox,
  command_cannot_run,
  init_container_fails,
  init_container_runs,
  crash_loop,
  disk_full,
  starting,
  preempted,
  evicted,
  pod_rejected,
  node_lost,
  backoff,
  restarting,
  stopping,
  stopping_stuck,
  finishing,
  failing,
  running,
  idle,
  succeeded,
  cancelled,
  out_of_memory,
  exit_code,
  retries_used_up,
  time_limit,
  policy_rule,
  indexes_failed,
  too_many_indexes_failed,
  failed,
};

/// "in about 7s", or "soon" if the time has passed or is unknown.
std::string when_in_words(std::optional<Time> next, Time now);
/// "next attempt in about 7s: exit code 1", or "next attempt soon: exit code 1" if the time has passed or is
/// unknown. The text becomes outdated, so call this only when printing it.
std::string next_attempt_in_words(std::optional<Time> next, const std::string& last_failure, Time now);

/// A job of any kind, in the form that users see.
struct JobView {
  std::string kind;  ///< "Job"
  std::string name, namespace_name, uid;
  std::string user;            ///< the user who submitted the job with kml; empty if unknown
  std::string priority_class;  ///< the priority class; empty if the cluster's default applies
  std::string command;         ///< the command given to kml; empty if unknown
  State state = State::waiting;
  Time created;  ///< whole seconds
  /// the creation time in microseconds, from an annotation; empty if kml did not submit the job
  std::string submitted;
  std::optional<Time> started, finished;
  /// how long its pods ran, if the job had stopped running before it was cancelled or reached its time limit,
  /// and the time is known
  std::optional<nanoseconds> ran;
  int pods = 0;         ///< how many pods may run at the same time
  int completions = 0;  ///< how many pods are wanted in total
  int running = 0;      ///< how many pods are running
  /// whether any pod runs and, for an MPIJob, the launcher has started; for a cancelled job, whether any pod
  /// may still run on a node that does not answer
  bool is_at_work = false;
  int succeeded = 0;  ///< how many pods have succeeded, in all attempts
  int failed = 0;
  long long gpus = 0;  ///< the GPUs of all pods that run at the same time
  /// whether the numbers of pods and GPUs are unknown: the job's kind does not show its pods, and none exist
  bool is_size_unknown = false;
  CauseCode cause_code = CauseCode::none;
  /// whether the job cannot start unless something is changed; it then has no position in the queue
  bool cannot_start = false;
  std::string cause;                 ///< why the job waits or has failed, in a few words
  std::optional<Time> next_attempt;  ///< see Cause::next_attempt
  std::string last_failure;
  std::string message;        ///< the scheduler's complete message while a pod waits for a node
  std::string node_selector;  ///< "gpu=a100,zone=b"
  /// the nodes of the pods that have not ended; after the job has ended, those of all its pods; distinct
  /// names, sorted
  std::vector<std::string> nodes;

  /// How long the job ran, if it has ended and the time is known.
  std::optional<nanoseconds> run_time() const;
  /// Whether the job has waited for some seconds without pods, for a reason that only events may name.
  bool lacks_pods(Time now) const;
  /// `cause`, or when the next attempt starts, or that there are no pods.
  std::string cause_at(Time now) const;
  void add_node(const std::string& node);  ///< adds a node; ignores an empty name
};

/// The view of a job without its cause and message, which view_of_job() in why.h adds. `pods` are the job's
/// pods. Without them, counts and times come from the job's status.
JobView basic_view_of_job(const Json& job, std::span<const Json* const> pods = {});

/// Whether `a` was created before `b`. Jobs created in the same second are sorted by the order in which kml
/// submitted them, then by name.
bool is_older(const JobView& a, const JobView& b);
bool is_older(const Json& a, const Json& b);

/// The state of a job, from its object and from whether any of its pods is running. A suspended job in a
/// Kueue queue is reported as waiting, because only its Workload shows whether a user has suspended it: see
/// view_of_job() in why.h. So is a suspended job that waits for other jobs (--after).
State state_of(const Json& job, bool any_pod_runs);
/// The same from the usual conditions (Complete, Completed, Succeeded, Failed) alone, whatever a description
/// of the job's kind says.
State state_by_conditions(const Json& job, bool any_pod_runs);

}  // namespace kml::job
