#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/why/facts.h"
#include "job/why/room.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// The short form of the cause for a job, pod or attempt that ran out of time.
inline constexpr std::string_view kTimeLimitReached = "time limit reached";
/// The short form of the cause for a pod or attempt that only ended because its job had failed.
inline constexpr std::string_view kStoppedWithJob = "stopped with its job";

/// Why the containers of a scheduled pod do not run; empty if all of them run or have ended. The kubelet
/// reports the reason in the containers' states. It reports problems with volumes and the network only in
/// events.
std::optional<Cause> container_cause(const Facts& facts, const Json& pod);

/// How a container failed: out of memory, or with an exit code; empty if it succeeded. `name` stands for the
/// container in the summary, such as "pod bert-0".
std::optional<Cause> exit_cause(const Json& terminated, const std::string& name);

/// Whether the text, from a runtime or a shell, says that a program was built for a different processor than
/// the node's, or is a script without "#!".
bool tells_of_processor(std::string_view text);
/// Makes the cause say that the program was built for a different processor, or is a script without "#!".
void name_processor(Cause& cause);

/// Why a pod does not run, or how it failed; empty if it runs or has succeeded. `facts` may be empty.
std::optional<Cause> pod_cause(const Facts& facts, const Json& pod);

/// Whether `kml cancel ARRAY-N` ended the pod, by setting a deadline.
bool was_cancelled(const Json& pod);

/// Whether the pod only ended because its job had failed, judging by its reason or by exit code 143
/// (SIGTERM).
bool was_stopped_with_job(const Json& pod);

/// Whether any container of the pod has written a log that can still be read.
bool has_log(const Json& pod);

/// Why a pod makes no progress if its node does not respond, or if the pod has not stopped a minute after its
/// grace period; empty if neither is the case.
std::optional<Cause> silent_node_cause(const Facts& facts, const Json& pod);
std::optional<Cause> stuck_stopping_cause(const Facts& facts, const Json& pod);

/// The cause if pods of a stopped job may still run, because their nodes do not answer. `what` says how the
/// job was stopped: "is suspended".
std::optional<Cause> lost_pods_cause(const Facts& facts, const std::string& what);

/// How the cluster disrupted the pod (its DisruptionTarget condition), and the preemptor if known; otherwise
/// empty.
std::optional<Cause> disruption_cause(const Facts& facts, const Json& pod);

/// How a deleted pod was disrupted. Read from the scheduler's Preempted event, which exists longer than the
/// pod.
std::optional<Cause> gone_pod_cause(const Facts& facts);

/// How many pods were created for the job, judging by the events that still exist.
long long pods_made(const Facts& facts);

/// The cause if a message of the kubelet or scheduler is about a missing object: `secret "x" not found`,
/// `couldn't find key K in Secret ns/x`, `persistentvolumeclaim "x" not found`, and the same for ConfigMaps.
/// Empty for other messages.
std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name);

/// The command that creates an object of the core API. `rest` has the object's other fields.
std::string command_to_make(const char* kind, const std::string& namespace_name, const std::string& name,
                            const Json& rest = Json::object());
/// A command that creates a priority class, with an example value.
std::string command_to_make_priority_class(const std::string& name);

/// Why pods with these specs do not fit on the nodes, with numbers and names; empty if all of them fit. The
/// facts need only have the job; all others add details. Ignores pod affinity, ports and volume topology.
std::optional<Cause> nodes_cause(const Facts& facts, const std::vector<const Json*>& pod_specs,
                                 std::vector<Room> rooms);

/// The cause if a volume claim is missing or not bound, so that the pod cannot be scheduled. `message` is the
/// scheduler's.
std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message);

/// What the scheduler said about the pods that start together with this one; empty if it starts alone.
struct GangState {
  int64_t size = 0;         ///< how many pods must start together
  int64_t with_room = 0;    ///< how many of the gang's pods have room now
  std::string reason = {};  ///< why the other pods have no room
};
std::optional<GangState> gang_state(const Facts& facts, const Json& pod);
/// The cause if the pod's PodGroup, or some of the group's pods, do not exist.
std::optional<Cause> incomplete_gang_cause(const Facts& facts, const Json& pod);
/// Whether the scheduler's message about the pod says that the pod waits for others with which it must start.
/// A PodGroup alone does not show this, because it may have no minimum.
bool tells_of_native_gang(const Json& pod);
/// Whether the scheduler's message about the pod says that no domain of a topology, such as a rack, has room
/// for the pod's gang.
bool tells_of_placements(const Json& pod);
/// The cause if no domain has room for the gang of the pod; empty for other causes.
std::optional<Cause> gang_topology_cause(const Facts& facts, const Json& pod);
/// Whether all pods of the job that wait must start together.
bool starts_as_gang(const Facts& facts);
/// Whether the job's pods are of use without each other, as the tasks of an array are.
bool has_independent_pods(const Json& job);
/// Whether each pod of the job can start without the others.
bool starts_pod_by_pod(const Facts& facts);
/// The cause if the nodes would have room for all these pods, but some of the nodes are cordoned or not
/// ready. Ignores the pods of other jobs. Empty for other causes.
std::optional<Cause> closed_nodes_cause(const Facts& facts, const std::vector<const Json*>& specs,
                                        std::vector<Room> rooms);
/// Says that the job's own pods hold the resources that `count` waiting pods need: an array continues as its
/// pods end, but a gang never starts.
void blame_own_pods(const Facts& facts, size_t count, Cause& cause);

/// The cause if the pod waits for devices, or for its ResourceClaim to be made. `message` is the scheduler's;
/// it is empty if the scheduler has not looked at the pod.
std::optional<Cause> claim_cause(const Facts& facts, const Json& pod, const std::string& message);

/// The scheduler's message about a pod that it cannot schedule, parsed. The text is not a stable API, so
/// unknown parts stay in `text`.
struct SchedulerMessage {
  /// The enumerators are sorted by importance to the user.
  enum class Kind { resource, taint, cordoned, not_ready, port, affinity, volume, other, labels };
  struct Reason {
    int nodes = 0;  ///< 0 if the reason is about the pod itself
    Kind kind = Kind::other;
    std::string detail;  ///< a resource, or a taint such as "dedicated: team"; may be empty
    std::string text;    ///< the original text: "node(s) had untolerated taint {dedicated: team}"
  };
  std::vector<Reason> reasons;
  bool preemption_cannot_help = false;
};

/// Parses "0/4 nodes are available: 1 node(s) had untolerated taint {dedicated: team}, 3 Insufficient
/// nvidia.com/gpu. preemption: 0/4 nodes are available: …". Reference: pkg/scheduler/framework/types.go
/// (FitError.Error) and the plugins' Err… constants.
SchedulerMessage parse_scheduler_message(std::string_view message);

/// Whether all reasons in the scheduler's message can be checked against the nodes and the requests. If they
/// can, and a node fits now, the node has changed since the message.
bool nodes_tell(const SchedulerMessage& message);

/// Why a pod of the job has no node. If nodes and pods are known, computes the cause from them, with numbers
/// and names. Otherwise uses the scheduler's message.
Cause scheduling_cause(const Facts& facts, const Json& pod);

/// The cause, judging only by the scheduler's message.
Cause cause_of_scheduler_message(const Json& pod, const std::string& message);

/// How much of a flavor's quota is missing, parsed from the message of Kueue's flavor assigner: "insufficient
/// unused quota for R in flavor F, N more needed" or "insufficient quota for R in flavor F, … request (9) >
/// maximum capacity (8)". Reference: sigs.k8s.io/kueue/pkg/scheduler/flavorassigner. Amounts that are not in
/// the text are 0.
struct FlavorShortfall {
  std::string flavor;
  Shortfall amounts;
  bool is_over_maximum = false;
};
std::vector<FlavorShortfall> parse_queue_message(std::string_view message);

/// The jobs that hold a flavor's resource in this ClusterQueue, largest first. Uses the admitted workloads
/// among the facts.
std::vector<Holder> holders_in_queue(const Facts& facts, const std::string& cluster_queue,
                                     const std::string& flavor, const std::string& resource);

/// A ClusterQueue's nominal quota for a flavor's resource, in thousandths.
int64_t nominal_quota(const Json& cluster_queue, const std::string& flavor, const std::string& resource);

/// The job of a Workload with its priority, as a holder.
Holder holder_of_workload(const Json& workload);

/// The Workload with this uid, or the Workload of the job with this uid; nullptr if the facts contain
/// neither.
const Json* workload_with_uid(const Facts& facts, const std::string& uid);

/// The Kueue Workload that the job owns; nullptr if it is not among the facts.
const Json* workload_of(const Facts& facts);

/// Why Kueue has not admitted the job, or that Kueue runs it in another cluster (MultiKueue); empty
/// otherwise.
std::optional<Cause> queue_cause(const Facts& facts);

/// How many pods Kueue has admitted, and how many the job asked for. Empty if Kueue has admitted all of them.
/// The Workload must be read, because Kueue lowers the number in the Job itself.
std::optional<std::pair<int, int>> partly_admitted(const Json& workload);

/// Whether pods of the Workload must share a rack, or another level of Kueue's Topology.
bool requires_topology(const Json& workload);
/// Why Kueue finds no rack for the Workload's pods, from Kueue's message and, if the nodes were read, from
/// the nodes; empty for other causes.
std::optional<Cause> topology_cause(const Facts& facts, const Json& workload, CauseCode code,
                                    const std::string& message);

/// The message that the job's controller left in the job, if the job's kind is one of described_kinds();
/// otherwise empty.
std::string told_by_description(const Json& job);
/// If the job's kind is one of described_kinds(): why the job is suspended, or why its state is unknown.
/// Otherwise empty.
std::optional<Cause> described_cause(const Facts& facts);

/// Whether Volcano places the job's pods.
bool is_scheduled_by_volcano(const Facts& facts);
/// The name of the job's Volcano queue, from the job's PodGroup; empty without a PodGroup.
std::string volcano_queue_of(const Facts& facts);
/// Why Volcano's queue does not let the job start; empty if it lets the job start.
std::optional<Cause> volcano_cause(const Facts& facts);

/// Parses "exceeded quota: few, requested: requests.nvidia.com/gpu=1, used: …=3, limited: …=3" or "failed
/// quota: few: must specify limits.cpu for: main". Empty for other texts.
std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text);

/// Why the server rejects a job's pods, from the controller's newest FailedCreate event. Empty if there is no
/// such event, or if a pod was created after it.
std::optional<Cause> refused_pods(const Facts& facts);

/// Parses the text of a rejection: "pods "x" is forbidden: exceeded quota: …".
Cause cause_of_refusal(const Facts& facts, const std::string& message);

/// Used if the events have expired: checks whether one of the namespace's quotas would reject another pod.
std::optional<Cause> refused_by_quota(const Facts& facts);

/// The cause if the job's pods run together, and a quota is too small for all of them or, for a job that has
/// not been created yet (`is_new`), does not have enough left.
std::optional<Cause> gang_over_quota(const Facts& facts, bool is_new);

/// If the job's time limit runs while the job waits, adds to the cause the time at which the limit ends the
/// job.
void mind_time_limit(const Facts& facts, Cause& cause);

/// The cause if the job waits for other jobs: the embedded server starts it once they have ended as required.
std::optional<Cause> dependency_cause(const Facts& facts);

/// How the job has ended or will soon end; empty if it continues.
std::optional<Cause> end_cause(const Facts& facts);

/// If kml created the job as a session of `kml dev`, a trial of a sweep, a step of a pipeline, or a served
/// model, replaces `kml submit`, `kml rerun` and, for a served model, `kml logs` in the remedies by the
/// commands for such a job.
void name_maker(const Json& job, Cause& cause);

/// All causes in the facts, the most important first: those that need an action, then those for which the job
/// waits, then failures, then those that will pass soon. Never empty.
std::vector<Cause> causes_of(const Facts& facts);

}  // namespace kml::job
