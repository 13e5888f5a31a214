#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/why/facts.h"
#include "jobs/why/room.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// What keeps the containers of a pod that has a node from running; empty if all of them run or have
/// ended well. The kubelet says it in the containers' states, and of volumes only in events.
std::optional<Cause> container_cause(const Facts& facts, const Json& pod);

/// How a container that ended badly did: out of memory, or by an exit code; empty if it ended well.
/// `name` is how the container is called in the summary, e.g. "pod bert-0".
std::optional<Cause> exit_cause(const Json& terminated, const std::string& name);

/// Why a pod does not run, or how it ended badly; empty if it runs or has ended well. Without `facts`
/// about more than the pod, only the pod itself is looked at.
std::optional<Cause> pod_cause(const Facts& facts, const Json& pod);

/// That something stopped the pod (its DisruptionTarget condition), and who, where that is known; else empty.
std::optional<Cause> disruption_cause(const Facts& facts, const Json& pod);

/// The same for a pod that is gone: the scheduler's Preempted event outlives it for a while.
std::optional<Cause> gone_pod_cause(const Facts& facts);

/// How many pods were made for the job, by the events about it that are left.
long long pods_made(const Facts& facts);

/// From what a kubelet or a scheduler says of an object that it did not find: `secret "x" not found`,
/// `couldn't find key K in Secret ns/x`, `persistentvolumeclaim "x" not found`, and the same for config maps.
/// Empty if the text says nothing of the kind.
std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name);

/// The command that makes an object of the core API: `rest` is what it holds beside its name.
std::string command_to_make(const char* kind, const std::string& namespace_name, const std::string& name,
                            const Json& rest = Json::object());

/// What keeps pods with these specs from the nodes, in numbers and names; empty if all of them have room.
/// Of the facts, only the job itself and the priority classes are looked at. It knows no pod affinity, no
/// ports and no volumes' places.
std::optional<Cause> nodes_cause(const Facts& facts, const std::vector<const Json*>& pod_specs,
                                 std::vector<Room> rooms);

/// Whether a volume claim keeps a pod from a node: it is missing, or not bound. `message` is the scheduler's.
std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message);

/// What the scheduler says of a pod that it found no node for, taken apart. Its text is not an API: what is
/// not known stays in `text`.
struct SchedulerMessage {
  /// In the order in which they matter to who waits.
  enum class Kind { resource, taint, cordoned, not_ready, port, affinity, volume, other, labels };
  struct Reason {
    int nodes = 0;  ///< 0 if it holds for the pod itself
    Kind kind = Kind::other;
    std::string detail;  ///< resource, or taint as "dedicated: team"; may be empty
    std::string text;    ///< "node(s) had untolerated taint {dedicated: team}"
  };
  std::vector<Reason> reasons;
  bool preemption_cannot_help = false;
};

/// Of "0/4 nodes are available: 1 node(s) had untolerated taint {dedicated: team}, 3 Insufficient
/// nvidia.com/gpu. preemption: 0/4 nodes are available: …". Reference: pkg/scheduler/framework/types.go
/// (FitError.Error) and the plugins' Err… constants.
SchedulerMessage parse_scheduler_message(std::string_view message);

/// Why a pod of the job has no node. With nodes and pods it is worked out from them, and told in numbers and
/// names; without, it is what the scheduler's message says.
Cause scheduling_cause(const Facts& facts, const Json& pod);

/// From the scheduler's message alone.
Cause cause_of_scheduler_message(const Json& pod, const std::string& message);

/// What is short of a flavor's quota, as Kueue's flavor assigner writes it: "insufficient unused quota for R
/// in flavor F, N more needed" and "insufficient quota for R in flavor F, … request (9) > maximum capacity
/// (8)". Reference: sigs.k8s.io/kueue/pkg/scheduler/flavorassigner. Amounts that the text does not tell are
/// 0.
struct FlavorShortfall {
  std::string flavor;
  Shortfall amounts;
  bool is_over_maximum = false;
};
std::vector<FlavorShortfall> parse_queue_message(std::string_view message);

/// Who has how much of a resource of a flavor of this ClusterQueue, by the admitted workloads among the
/// facts; who has most first.
std::vector<Holder> holders_in_queue(const Facts& facts, const std::string& cluster_queue,
                                     const std::string& flavor, const std::string& resource);

/// A flavor's nominal quota of a resource, in thousandths, of a ClusterQueue object.
int64_t nominal_quota(const Json& cluster_queue, const std::string& flavor, const std::string& resource);

/// The job that a Workload is of, with its priority.
Holder holder_of_workload(const Json& workload);

/// The workload of that UID, or of the job of that UID; nullptr if it is not among the facts.
const Json* workload_with_uid(const Facts& facts, const std::string& uid);

/// The Kueue Workload of a job, by owner; nullptr if it is not among the facts.
const Json* workload_of(const Facts& facts);

/// Why Kueue holds the job back; empty if it does not (any more).
std::optional<Cause> queue_cause(const Facts& facts);

/// From "exceeded quota: few, requested: requests.nvidia.com/gpu=1, used: …=3, limited: …=3", and from
/// "failed quota: few: must specify limits.cpu for: main"; empty for other texts.
std::optional<Cause> cause_of_quota_refusal(const Facts& facts, const std::string& text);

/// Why the server refuses to make a job's pods, from the controller's newest FailedCreate event, where no pod
/// was made after it; empty if there is no such event.
std::optional<Cause> refused_pods(const Facts& facts);

/// The same from the text of a refusal: "pods "x" is forbidden: exceeded quota: …".
Cause cause_of_refusal(const Facts& facts, const std::string& message);

/// Where the events have expired: whether a quota of the namespace would refuse one more pod.
std::optional<Cause> refused_by_quota(const Facts& facts);

/// How the job has ended, or that it is about to end; empty if it goes on.
std::optional<Cause> end_cause(const Facts& facts);

/// All causes that the facts show, the one that counts first: what never gets better by itself, then what the
/// job waits for, then what is on its way. Never empty.
std::vector<Cause> causes_of(const Facts& facts);

}  // namespace kml::jobs
