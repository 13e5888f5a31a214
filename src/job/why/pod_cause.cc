#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

#include "job/why/missing_program.h"
#include "job/why/room.h"
#include "kml/base/text.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

constexpr std::array<std::string_view, 1> kPreemptedEvent = {"Preempted"};
constexpr std::array<std::string_view, 2> kMade = {"SuccessfulCreate", "SuccessfulCreatePod"};

bool has_reason(const Json& event, std::span<const std::string_view> reasons) {
  return std::find(reasons.begin(), reasons.end(), api::reason_of(event)) != reasons.end();
}

/// The pod in the event "Preempted by pod UID on node N". Kubernetes only names the pod's UID, which does not
/// help users. If a gang preempts, the event names the gang's PodGroup, and this is one of the gang's pods.
const Json* preemptor_by(const Facts& facts, const Json& event) {
  if (!facts.active_pods) return nullptr;
  const std::string message = api::message_of(event);
  const Json& related = object_at(event, {"related"});
  const std::string group = api::kind_name(related) == "PodGroup" ? api::entry_name(related) : "";
  for (const Json& other : *facts.active_pods) {
    if (!group.empty() && api::pod_group_of(other) == group &&
        api::namespace_of(other) == string_at(related, {"namespace"}))
      return &other;
    const std::string uid = api::uid_of(other);
    if (!uid.empty() && message.find(uid) != std::string::npos) return &other;
    // The embedded server writes the preemptor's name instead of its UID.
    if (message.find(" pod " + api::full_name_of(other) + " ") != std::string::npos) return &other;
  }
  return nullptr;
}

/// `event` is null if it has expired.
Cause preempted(const Facts& facts, const std::string& pod, const std::string& where, const Json* event) {
  Cause cause = make_cause(CauseCode::preempted, "preempted by a higher-priority job", "");
  std::string by = "a higher-priority pod that kml cannot find";
  if (const Json* preemptor = event ? preemptor_by(facts, *event) : nullptr) {
    cause.holders = {holder_of_pod(*preemptor)};
    by = holders_text(cause.holders, "");
    cause.brief = "preempted by " + cause.holders[0].name;
  }
  cause.summary = fmt::format("pod {}{} was stopped for {}", pod, where, by);
  return cause;
}

/// Whether the kubelet has rejected a pod without starting it (Kubernetes' pkg/kubelet/lifecycle/predicate.go
/// and pkg/kubelet/cm). Reasons such as "OutOfcpu" name the resource.
bool is_rejection(std::string_view reason) {
  constexpr std::array<std::string_view, 9> kReasons = {"UnexpectedAdmissionError",
                                                        "UnexpectedPredicateFailureType",
                                                        "TopologyAffinityError",
                                                        "NodeAffinity",
                                                        "NodePorts",
                                                        "PodOSSelectorNodeLabelDoesNotMatch",
                                                        "PodOSNotSupported",
                                                        "AppArmor",
                                                        "SysctlForbidden"};
  return reason.starts_with("OutOf") || std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
}

Cause rejected(const Json& pod, const std::string& reason, const std::string& message) {
  return make_cause(CauseCode::pod_rejected, "rejected by its node: " + (message.empty() ? reason : message),
                    fmt::format("node {} rejected pod {}: {}", api::node_of(pod), api::name_of(pod),
                                message.empty() ? reason : message));
}

std::optional<Cause> failure_of(const Facts& facts, const Json& pod) {
  if (auto disrupted = disruption_cause(facts, pod)) return disrupted;
  if (was_cancelled(pod))
    return make_cause(CauseCode::cancelled, "cancelled", "pod " + api::name_of(pod) + " was cancelled");
  const std::string reason = api::status_reason(pod), message = api::status_message(pod);
  if (is_rejection(reason)) return rejected(pod, reason, message);
  if (is_reason_of_job(reason)) {
    if (const Json* crash = crash_before_stop(pod)) return exit_cause(*crash, "pod " + api::name_of(pod));
    return make_cause(CauseCode::failed, std::string(kStoppedWithJob),
                      "pod " + api::name_of(pod) + " was stopped because its job had failed");
  }
  if (reason == "DeadlineExceeded")
    return make_cause(CauseCode::time_limit, std::string(kTimeLimitReached),
                      "pod " + api::name_of(pod) + " reached its time limit");
  if (reason.empty())  // otherwise the node's reason explains why the containers ended
    for (std::string_view list : {"containerStatuses", "initContainerStatuses"})
      for (const Json& status : api::container_statuses(pod, list))
        if (const Json* terminated = api::terminated_in(status))
          if (auto cause = exit_cause(*terminated, "pod " + api::name_of(pod))) return cause;
  if (reason.empty() && message.empty()) return {};
  Cause cause =
      make_cause(CauseCode::failed, reason + (message.empty() || reason.empty() ? "" : ": ") + message,
                 fmt::format("pod {} failed: {}", api::name_of(pod), message.empty() ? reason : message));
  if (reason == "Evicted" || reason == "NodeShutdown" || reason == "Terminated")
    cause.code = CauseCode::evicted;
  return cause;
}

}  // namespace

bool was_cancelled(const Json& pod) {
  return !api::annotation_of(pod, api::kCancelled).empty();
}

bool was_stopped_with_job(const Json& pod) {
  constexpr int kTerminated = 128 + SIGTERM;
  if (is_reason_of_job(api::status_reason(pod))) return !crash_before_stop(pod);
  return basic_view_of_pod(pod).exit_code == kTerminated;
}

bool has_log(const Json& pod) {
  const std::string reason = api::status_reason(pod);
  if (reason == "Evicted" || reason == "NodeLost" || is_rejection(reason)) return false;
  for (std::string_view list : {"containerStatuses", "initContainerStatuses"})
    for (const Json& status : api::container_statuses(pod, list)) {
      constexpr std::array<std::string_view, 3> kNeverRan = {"StartError", "ContainerCannotRun",
                                                             "ContainerStatusUnknown"};
      const Json* end = api::terminated_in(status);
      if (!end) end = api::last_terminated_in(status);
      if (end && !has_reason(*end, kNeverRan)) return true;
      if (api::is_running(status)) return true;
    }
  return false;
}

std::optional<Cause> disruption_cause(const Facts& facts, const Json& pod) {
  const api::Condition target = api::condition(pod, "DisruptionTarget");
  if (!target.is_true()) return {};
  const std::string reason = target.reason(), node = api::node_of(pod);
  const std::string where = node.empty() ? "" : " on node " + node;
  Cause cause;
  if (reason == "PreemptionByScheduler") {
    const Json* event = newest_event(facts, pod, kPreemptedEvent);
    cause = preempted(facts, api::name_of(pod), where, event);
  } else {
    const std::string told = target.message(), of_pod = api::status_message(pod);
    const std::string what = disruption_in_words(reason), said = of_pod.empty() ? told : of_pod;
    const std::string all = of_pod.empty() ? what : told.starts_with(of_pod) ? told : of_pod;
    cause = make_cause(CauseCode::evicted,
                       in_words(Disruption{.reason = reason, .told = said.empty() ? what : said}),
                       fmt::format("pod {}{}: {}", api::name_of(pod), where, all));
  }
  cause.message = target.message();
  return cause;
}

namespace {

/// The task or rank of a pod that no longer exists, according to its name: 3 for "bert-3-x7k2p".
std::optional<int> rank_in_name(const Json& job, const std::string& pod) {
  const std::vector<std::string> parts = split(pod, '-');
  if (parts.size() < 3) return {};
  const std::optional<int> index = whole_number(parts[parts.size() - 2]);
  const auto numbers = task_numbers(api::pod_template_of(job));
  return index && numbers ? numbers->at(*index) : index;
}

/// Whether the event is about a pod of this job, not of an earlier job with the same name.
bool tells_of_made_pod(const Facts& facts, const Json& event) {
  return has_reason(event, kMade) && api::involved_uid(event) == api::uid_of(facts.job);
}

}  // namespace

long long pods_made(const Facts& facts) {
  long long made = 0;
  if (!facts.events) return made;
  for (const Json& event : *facts.events)
    if (tells_of_made_pod(facts, event)) made += std::max<long long>(int_at(event, {"count"}, 1), 1);
  return made;
}

std::optional<Cause> gone_pod_cause(const Facts& facts) {
  if (!facts.events) return {};
  std::set<std::string> made, there;
  for (const Json* pod : facts.pods) there.insert(api::uid_of(*pod));
  for (const Json& event : *facts.events)
    if (const std::string message = api::message_of(event); tells_of_made_pod(facts, event))
      made.insert(message.substr(message.rfind(' ') + 1));  // "Created pod: bert-x7k2p"
  const Json* newest = nullptr;
  for (const Json& event : *facts.events)
    if (has_reason(event, kPreemptedEvent) && made.contains(api::involved_name(event)) &&
        (!facts.rank || rank_in_name(facts.job, api::involved_name(event)) == facts.rank) &&
        !there.contains(api::involved_uid(event)) && (!newest || !api::is_earlier_event(event, *newest)))
      newest = &event;
  if (!newest) return {};
  const std::string pod = api::involved_name(*newest), message = api::message_of(*newest);
  // If a gang preempts, the event names no node, but the word "cluster".
  const bool has_node = api::kind_name(object_at(*newest, {"related"})) != "PodGroup";
  const size_t node = has_node ? message.rfind(" on node ") : std::string::npos;
  Cause cause = preempted(facts, pod, node == std::string::npos ? "" : message.substr(node), newest);
  cause.object = "pod " + pod;
  return cause;
}

std::optional<Cause> pod_cause(const Facts& facts, const Json& pod) {
  const std::string phase = api::phase_of(pod);
  std::optional<Cause> cause;
  if (phase == "Failed")
    cause = failure_of(facts, pod);
  else if (phase == "Succeeded")
    return {};
  else if (auto silent = silent_node_cause(facts, pod))
    cause = std::move(silent);
  else if (auto stuck = stuck_stopping_cause(facts, pod))
    cause = std::move(stuck);
  else if (auto disrupted = disruption_cause(facts, pod))
    cause = std::move(disrupted);
  else if (api::is_being_deleted(pod))
    cause = make_cause(CauseCode::stopping, "stopping", "pod " + api::name_of(pod) + " is stopping");
  else if (phase == "Pending" && api::node_of(pod).empty() && api::container_statuses(pod).empty())
    cause = scheduling_cause(facts, pod);
  else
    cause = container_cause(facts, pod);
  if (cause) {
    name_missing_program(pod, *cause);
    cause->object = "pod " + api::name_of(pod);
    cause->pods = 1;
  }
  return cause;
}

}  // namespace kml::job
