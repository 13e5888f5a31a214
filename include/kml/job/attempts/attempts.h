#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/records/records.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// A run of one of a job's pods. If only the end of the whole job's run is known, one attempt without a pod
/// stands for all pods. A pod that waits for a node is an attempt without a start.
struct Attempt {
  std::string pod, uid, node;           ///< the pod's name and uid, and its node; empty if unknown
  std::vector<std::string> containers;  ///< only if the embedded server recorded the attempt
  std::string index;  ///< as from index_in_job(), or the number of an array's task; may be empty
  std::optional<Time> start, end;
  std::optional<int> exit_code;
  std::optional<long long> number;  ///< the number of the attempt, from 1, if the program has reported it
  /// the first and the last step, if the program has reported them
  std::optional<long long> first_step, last_step;
  std::string result;  ///< "Running", "Succeeded", why the attempt ended, or why its pod waits
  /// whether the cluster stopped the attempt, by a preemption or in another way
  bool disrupted = false;
  bool preempted = false;
  std::string preempted_by;  ///< as in Disruption::by; empty if unknown
};

/// The result of an attempt that ended because of `kml cancel`.
inline constexpr std::string_view kCancelledAttempt = "cancelled";

/// Selects the events that attempt_events() returns.
kube::ListOptions about_attempts(const std::string& job);

/// The events about ended attempts of one job, or of all jobs if `job` is empty. Only the embedded server
/// writes such events.
std::vector<Json> attempt_events(kube::Client& client, const std::string& namespace_name,
                                 const std::string& job);

/// The attempts in these sources, oldest first. Sends no requests. `pods` and `events` are the job's own.
/// Only the embedded server has events about attempts. `told` are the attempts that programs reported.
std::vector<Attempt> attempts_in(const Json& job, std::span<const Json* const> pods,
                                 std::span<const Json* const> events, std::vector<Attempt> told,
                                 const std::vector<Disruption>& disruptions);

/// The attempts that are reported in the logs of the job's started pods. Reads the logs of at most 20 pods,
/// until the time `until`. If a log cannot be read by then, it is treated as empty.
std::vector<Attempt> told_attempts(kube::Client& client, const Json& job, std::span<const Json* const> pods,
                                   http::SteadyTime until);

/// For how long told_attempts() should read logs: a kubelet may not respond.
inline constexpr std::chrono::seconds kLongestForLogs{10};

/// The attempts that the embedded server has recorded, oldest first, including those of deleted pods. Empty
/// on a cluster.
std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job);

/// All known attempts, oldest first. The sources are the existing pods and their logs, which report earlier
/// attempts (trainer/README.md), and events: those of the embedded server, or those of a cluster about
/// deleted pods. Disruptions come from the run records, the scheduler's events and Kueue's Workload. If the
/// run records lack a disruption or its preemptor, adds it to them.
std::vector<Attempt> attempts_of(kube::Client& client, const Json& job, const Submissions& records);

/// How often the job's controller has restarted the whole job, according to the job's status. Some kinds,
/// such as JobSets and Volcano's Jobs, count these restarts; 0 for the others.
long long restarts_of(const Json& job);
/// A sentence if there were more restarts than `attempts` show, because nothing is left of some attempts;
/// otherwise empty.
std::string unknown_attempts_in_words(const Json& job, std::span<const Attempt> attempts);

/// Records the disruptions of a job that is about to be deleted, like attempts_of(), but reads no logs.
void record_disruptions(kube::Client& client, const Json& job, const Submissions& records);

/// What is known about the pods that a job no longer has.
struct GoneRun {
  std::optional<Time> started;  ///< when the first of them started; empty if unknown
  std::chrono::seconds ran{0};  ///< the time in which at least one of them ran; 0 if unknown
};

/// Reads events, which a cluster soon forgets, and the job's Kueue Workload.
GoneRun run_of_gone_pods(kube::Client& client, const Json& job);

/// Whether the job's pods and its status do not show whether it ever ran: it failed while it waited, which it
/// may have done again after a preemption.
bool may_have_run_before(const JobView& view);
/// If may_have_run_before(), reads what is known about an earlier run, and sets the view's start and run time
/// to it. If that cannot be read, changes nothing.
void add_earlier_run(kube::Client& client, const Json& job, JobView& view);

/// The disrupted attempts of a deleted job, as recorded by the kml processes that watched the job.
std::vector<Attempt> attempts_on_record(const Submissions& records, const std::string& run_id,
                                        const std::string& job_key);

}  // namespace kml::job
