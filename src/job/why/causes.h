#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/why/facts.h"
#include "job/why/room.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// The brief cause of a job, pod or attempt that ran out of time.
inline constexpr std::string_view kTimeLimitReached = "time limit reached";

/// Why the containers of a scheduled pod do not run; empty if all run or have succeeded. The kubelet reports
/// this in the containers' states, and for volumes only in events.
std::optional<Cause> container_cause(const Facts& facts, const Json& pod);

/// How a container failed: out of memory, or with an exit code; empty if it succeeded. `name` is its name in
/// the summary, e.g. "pod bert-0".
std::optional<Cause> exit_cause(const Json& terminated, const std::string& name);

/// Whether a program could not be executed because its format is not that of the node, according to a runtime
/// or a shell.
bool tells_of_processor(std::string_view text);
/// Sets that cause.
void name_processor(Cause& cause);

/// Why a pod does not run or how it failed; empty if it runs or has succeeded. Needs no `facts` beyond the
/// pod itself.
std::optional<Cause> pod_cause(const Facts& facts, const Json& pod);

/// Whether the pod was only stopped because its job had failed.
bool was_stopped_with_job(const Json& pod);

/// Whether a container of the pod has written a log that can still be read.
bool has_log(const Json& pod);

/// Why a pod on a node that does not answer, or one that is stopping, makes no progress; empty if it may.
std::optional<Cause> silent_node_cause(const Facts& facts, const Json& pod);
std::optional<Cause> stuck_stopping_cause(const Facts& facts, const Json& pod);

/// The pod's disruption (its DisruptionTarget condition), and the preemptor if known; otherwise empty.
std::optional<Cause> disruption_cause(const Facts& facts, const Json& pod);

/// The disruption of a deleted pod, from the scheduler's Preempted event, which outlives the pod for a while.
std::optional<Cause> gone_pod_cause(const Facts& facts);

/// The number of pods created for the job, from its remaining events.
long long pods_made(const Facts& facts);

/// The cause in a kubelet's or scheduler's message about a missing object: `secret "x" not found`, `couldn't
/// find key K in Secret ns/x`, `persistentvolumeclaim "x" not found`, and the same for ConfigMaps. Empty for
/// other messages.
std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name);

/// The command that creates an object of the core API. `rest` is the object's content without its name.
std::string command_to_make(const char* kind, const std::string& namespace_name, const std::string& name,
                            const Json& rest = Json::object());
/// A command that creates a priority class with an example of a value.
std::string command_to_make_priority_class(const std::string& name);

/// Why pods with these specs do not fit on the nodes, with numbers and names; empty if all fit. Of the facts,
/// uses only the job and the priority classes. Ignores pod affinity, ports and volume topology.
std::optional<Cause> nodes_cause(const Facts& facts, const std::vector<const Json*>& pod_specs,
                                 std::vector<Room> rooms);

/// Whether a missing or unbound volume claim keeps a pod unscheduled. `message` is the scheduler's.
std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message);

/// The parsed message of the scheduler about an unschedulable pod. The text is not a stable API, so unknown
/// parts stay in `text`.
struct SchedulerMessage {
  /// Ordered by importance to the user.
  enum class Kind { resource, taint, cordoned, not_ready, port, affinity, volume, other, labels };
  struct Reason {
    int nodes = 0;  ///< 0 if the reason concerns the pod itself
    Kind kind = Kind::other;
    std::string detail;  ///< resource, or taint as "dedicated: team"; may be empty
    std::string text;    ///< "node(s) had untolerated taint {dedicated: team}"
  };
  std::vector<Reason> reasons;
  bool preemption_cannot_help = false;
};

/// Parses "0/4 nodes are available: 1 node(s) had untolerated taint {dedicated: team}, 3 Insufficient
/// nvidia.com/gpu. preemption: 0/4 nodes are available: …". Reference: pkg/scheduler/framework/types.go
/// (FitError.Error) and the plugins' Err… constants.
SchedulerMessage parse_scheduler_message(std::string_view message);

/// Whether everything in the scheduler's message can be checked against the nodes and the requests. If so,
/// and a node fits now, the node has changed since the message.
bool nodes_tell(const SchedulerMessage& message);

/// Why a pod of the job has no node. If nodes and pods are known, this is computed from them, with numbers
/// and names; otherwise it is taken from the scheduler's message.
Cause scheduling_cause(const Facts& facts, const Json& pod);

/// The cause from only the scheduler's message.
Cause cause_of_scheduler_message(const Json& pod, const std::string& message);

/// A shortage of a flavor's quota, parsed from the message of Kueue's flavor assigner: "insufficient unused
/// quota for R in flavor F, N more needed" and "insufficient quota for R in flavor F, … request (9) > maximum
/// capacity (8)". Reference: sigs.k8s.io/kueue/pkg/scheduler/flavorassigner. Amounts that are not in the text
/// are 0.
struct FlavorShortfall {
  std::string flavor;
  Shortfall amounts;
  bool is_over_maximum = false;
};
std::vector<FlavorShortfall> parse_queue_message(std::string_view message);

/// The holders of a flavor's resource in this ClusterQueue, from the admitted workloads among the facts,
/// largest first.
std::vector<Holder> holders_in_queue(const Facts& facts, const std::string& cluster_queue,
                                     const std::string& flavor, const std::string& resource);

/// A flavor's nominal quota of a resource in a ClusterQueue, in thousandths.
int64_t nominal_quota(const Json& cluster_queue, const std::string& flavor, const std::string& resource);

/// The job of a Workload, with its priority.
Holder holder_of_workload(const Json& workload);

/// The workload with that uid, or the workload of the job with that uid; nullptr if it is not among the
/// facts.
const Json* workload_with_uid(const Facts& facts, const std::string& uid);

/// The Kueue Workload of a job, by owner; nullptr if it is not among the facts.
const Json* workload_of(const Facts& facts);

/// Why Kueue has not admitted the job; empty if Kueue does not hold it back.
std::optional<Cause> queue_cause(const Facts& facts);

/// The message that its controller left in a job of a described kind; empty if there is none.
std::string told_by_description(const Json& job);
/// Why a job of a described kind is suspended, or its state unknown; empty otherwise.
std::optional<Cause> described_cause(const Facts& facts);

/// Whether Volcano places the job's pods.
bool is_scheduled_by_volcano(const Json& job);
/// The name of its queue, from its PodGroup; empty without one.
std::string volcano_queue_of(const Facts& facts);
/// Why Volcano's queue does not let the job start; empty if it does.
std::optional<Cause> volcano_cause(const Facts& facts);

/// Parses "exceeded quota: few, requested: requests.nvidia.com/gpu=1, used: …=3, limited: …=3", and "failed
/// quota: few: must specify limits.cpu for: main"; empty for other texts.
std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text);

/// Why the server refuses to create a job's pods, from the controller's newest FailedCreate event. Empty
/// without such an event, or if a pod was created after it.
std::optional<Cause> refused_pods(const Facts& facts);

/// Parses the text of a refusal: "pods "x" is forbidden: exceeded quota: …".
Cause cause_of_refusal(const Facts& facts, const std::string& message);

/// For expired events: checks whether a quota of the namespace would reject another pod.
std::optional<Cause> refused_by_quota(const Facts& facts);

/// How the job has ended or is about to end; empty if it continues.
std::optional<Cause> end_cause(const Facts& facts);

/// Replaces `kml submit` and `kml rerun` in the remedies by the command that creates such a job: a session of
/// `kml dev`, a trial of a sweep, or a step of a pipeline.
void name_maker(const Json& job, Cause& cause);

/// All causes in the facts, the most important first: causes that need an action, then those for which the
/// job waits, then those that resolve soon. Never empty.
std::vector<Cause> causes_of(const Facts& facts);

}  // namespace kml::job
