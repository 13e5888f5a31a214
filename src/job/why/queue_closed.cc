#include "job/why/queue.h"

#include <fmt/format.h>

#include "job/capacity/kueue_api.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The stopPolicy that keeps a LocalQueue or ClusterQueue from admitting jobs; empty if none does.
std::string stop_policy_of(const std::optional<Json>& queue) {
  const std::string policy = queue ? string_at(*queue, {"spec", "stopPolicy"}) : "";
  return policy == "None" ? "" : policy;
}

Cause missing(const Facts& facts, const std::string& queue, const std::string& message) {
  const std::string where = api::namespace_of(facts.job);
  // the LocalQueue exists, but its ClusterQueue does not
  const bool is_behind = contains(message, "ClusterQueue");
  Cause cause =
      make_cause(CauseCode::queue_missing, is_behind ? message : "no queue " + queue,
                 is_behind ? message : fmt::format("queue {} does not exist in namespace {}", queue, where));
  cause.remedies = {{"list the queues, and submit it again", fmt::format("kml list queues -n {}", where)}};
  return cause;
}

/// Whether the LocalQueue says that its ClusterQueue was deleted. The Workload's own message may be older.
bool lacks_cluster_queue(const Facts& facts) {
  return facts.local_queue && api::condition(*facts.local_queue, "Active").is_false() &&
         api::condition(*facts.local_queue, "Active").reason() == "ClusterQueueDoesNotExist";
}

/// Which of Kueue's objects is stopped and why, as far as the user may read them.
Cause stopped(const Facts& facts, const std::string& queue, const std::string& message) {
  Cause cause = make_cause(CauseCode::queue_stopped, "queue " + queue + " is stopped",
                           fmt::format("queue {} does not accept jobs: {}", queue, message));
  const std::string cluster_queue = facts.local_queue ? cluster_queue_of(*facts.local_queue) : "";
  std::string remedy = "ask its administrator to open it";
  if (const std::string own = stop_policy_of(facts.local_queue); !own.empty()) {
    cause.summary = fmt::format("queue {} does not accept jobs: its stopPolicy is {}", queue, own);
    remedy += fmt::format(": stopPolicy of LocalQueue {} must be None", queue);
  } else if (const std::string policy = stop_policy_of(facts.cluster_queue); !policy.empty()) {
    remedy += fmt::format(": stopPolicy of ClusterQueue {} must be None", cluster_queue);
  } else if (facts.cluster_queue) {
    const api::Condition active = api::condition(*facts.cluster_queue, "Active");
    if (active.is_false() && !active.message().empty()) {
      cause.brief = "queue " + queue + " is not complete";
      cause.summary = fmt::format("queue {} does not accept jobs: ClusterQueue {}: {}", queue, cluster_queue,
                                  active.message());
      remedy = "ask its administrator to correct ClusterQueue " + cluster_queue;
    }
  }
  cause.remedies = {{remedy, ""}};
  return cause;
}

}  // namespace

CauseCode queue_code_of(const std::string& reason, const std::string& message) {
  const auto says = [&](const char* part) { return contains(message, part); };
  if (reason == "AdmissionGated" || reason == "OnHold" || says("gated")) return CauseCode::queue_gated;
  if (reason == "WaitingForPodsReady" || says("in PodsReady condition")) return CauseCode::queue_blocked;
  if (says("namespace doesn't match")) return CauseCode::queue_namespace;
  if (says("doesn't exist") || (says("ClusterQueue") && says("not found"))) return CauseCode::queue_missing;
  if (reason == "Suspended" || says("is inactive")) return CauseCode::queue_stopped;
  if (says("unavailable in ClusterQueue")) return CauseCode::queue_resource;
  if (reason == "WaitingForPreemptedWorkloads" || says("Pending the preemption"))
    return CauseCode::queue_preempting;
  // Kueue reports about each flavor that it has tried. A flavor that only lacks free quota is more important
  // than the others.
  if (reason == "WaitingForQuota" || says("insufficient unused quota")) return CauseCode::queue_quota;
  if (reason == "ExceedsMaxQuota" || says("maximum capacity")) return CauseCode::queue_too_large;
  if (reason == "TopologyPlacementFailed" || says("opology") || says("requested level"))
    return CauseCode::queue_topology;
  if (reason == "NoMatchingFlavor" || says("affinity") || says("taint")) return CauseCode::queue_flavor;
  return says("insufficient") ? CauseCode::queue_quota : CauseCode::queue_pending;
}

std::optional<Cause> closed_queue_cause(const Facts& facts, const Json& workload, CauseCode code,
                                        const std::string& message) {
  const std::string queue = queue_name_of(workload);
  Cause cause;
  if (lacks_cluster_queue(facts)) {
    cause = missing(facts, queue,
                    fmt::format("ClusterQueue {} doesn't exist", cluster_queue_of(*facts.local_queue)));
  } else if (code == CauseCode::queue_missing) {
    cause = missing(facts, queue, message);
  } else if (code == CauseCode::queue_stopped) {
    cause = stopped(facts, queue, message);
  } else if (code == CauseCode::queue_namespace) {
    const std::string where = api::namespace_of(facts.job);
    cause = make_cause(code, "queue " + queue + " does not admit jobs from its namespace",
                       fmt::format("queue {} never admits jobs of namespace {}: the namespaceSelector of its "
                                   "ClusterQueue does not match",
                                   queue, where));
    cause.remedies = {{"use another queue", fmt::format("kml list queues -n {}", where)}};
  } else if (code == CauseCode::queue_resource) {
    const size_t at = message.find("resource ");
    const std::string resource =
        at == std::string::npos ? "a resource" : message.substr(at + 9, message.find(' ', at + 9) - at - 9);
    cause = make_cause(code, "queue " + queue + " has no " + resource,
                       fmt::format("requests {}, for which queue {} has no quota", resource, queue));
    cause.remedies = {{"leave out that request, or ask the queue's administrator for quota", ""}};
  } else {
    return {};
  }
  cause.message = message;
  return cause;
}

}  // namespace kml::job
