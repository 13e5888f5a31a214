#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kml/base/text.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

using Kind = SchedulerMessage::Kind;

/// The text between the first pair of braces.
std::string in_braces(std::string_view text) {
  const size_t open = text.find('{'), close = text.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(text.substr(open + 1, close - open - 1));
}

Kind kind_of(std::string_view text, std::string& detail) {
  constexpr std::string_view kInsufficient = "Insufficient ";
  if (text.starts_with(kInsufficient)) {
    detail = text.substr(kInsufficient.size());
    return Kind::resource;
  }
  if (text.starts_with("Too many pods")) {
    detail = "pods";
    return Kind::resource;
  }
  if (contains(text, "taint")) {
    detail = in_braces(text);
    if (detail.starts_with("node.kubernetes.io/unschedulable")) return Kind::cordoned;
    return detail.starts_with("node.kubernetes.io/") ? Kind::not_ready : Kind::taint;
  }
  if (contains(text, "were unschedulable")) return Kind::cordoned;
  // matches persistentvolumeclaim and PersistentVolumeClaims, too
  if (contains(text, "olume")) return Kind::volume;
  if (contains(text, "node affinity/selector") || contains(text, "match node selector")) return Kind::labels;
  if (contains(text, "ports")) return Kind::port;
  return contains(text, "affinity") || contains(text, "topology spread") ? Kind::affinity : Kind::other;
}

SchedulerMessage::Reason reason_of(std::string_view text) {
  SchedulerMessage::Reason reason;
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits > 0 && digits < 9) {
    reason.nodes = std::atoi(std::string(text.substr(0, digits)).c_str());
    text.remove_prefix(digits);
  }
  reason.text = trim(text);
  reason.kind = kind_of(reason.text, reason.detail);
  return reason;
}

}  // namespace

SchedulerMessage parse_scheduler_message(std::string_view message) {
  SchedulerMessage parsed;
  const size_t preemption = message.find("preemption: ");
  if (preemption != std::string_view::npos)
    parsed.preemption_cannot_help = !contains(message.substr(preemption), "No preemption victims found") &&
                                    contains(message.substr(preemption), "Preemption is not helpful");
  const std::string reasons = short_scheduler_message(message);
  // A comma may be part of a reason: "had taint {k: v}, that the pod didn't tolerate".
  size_t begin = 0;
  for (size_t at = 0; at <= reasons.size(); ++at) {
    const bool ends = at == reasons.size() || (reasons.compare(at, 2, ", ") == 0 && at + 2 < reasons.size() &&
                                               is_digit(reasons[at + 2]));
    if (!ends) continue;
    if (at > begin) parsed.reasons.push_back(reason_of(std::string_view(reasons).substr(begin, at - begin)));
    begin = at + 2;
  }
  return parsed;
}

namespace {

constexpr std::array<std::string_view, 1> kGrows = {"TriggeredScaleUp"}, kDoesNotGrow = {"NotTriggerScaleUp"};

CauseCode code_of(SchedulerMessage::Kind kind) {
  using enum SchedulerMessage::Kind;
  switch (kind) {
    case resource: return CauseCode::resources_held;
    case labels: return CauseCode::node_selector;
    case taint: return CauseCode::taint;
    case cordoned: return CauseCode::cordoned;
    case not_ready: return CauseCode::nodes_not_ready;
    case port: return CauseCode::host_port;
    case affinity: return CauseCode::pod_affinity;
    case volume: return CauseCode::volume_place;
    case other: break;
  }
  return CauseCode::unschedulable;
}

/// `is_for_ever` means that the end of other pods would not help.
std::string in_words(const SchedulerMessage::Reason& reason, bool is_for_ever) {
  using enum SchedulerMessage::Kind;
  const std::string nodes = reason.nodes == 1 ? "1 node" : fmt::format("{} nodes", reason.nodes);
  switch (reason.kind) {
    case resource:
      return fmt::format("not enough {} {} {}", reason.detail.ends_with("/gpu") ? "GPUs" : reason.detail,
                         is_for_ever ? "on" : "free on", nodes);
    case labels: return fmt::format("{} without the requested labels", nodes);
    case taint: {
      std::string taint = reason.detail;             // "dedicated: team", or "dedicated: " without a value
      if (taint.empty()) return nodes + " tainted";  // Kubernetes 1.35 does not name the taint
      if (const size_t colon = taint.find(": "); colon != std::string::npos)
        taint.replace(colon, 2, colon + 2 == taint.size() ? "" : "=");
      return fmt::format("taint {} on {}", taint, nodes);
    }
    case cordoned: return nodes + " cordoned";
    case not_ready: return nodes + " not ready";
    default: return reason.nodes > 0 ? fmt::format("{} {}", reason.nodes, reason.text) : reason.text;
  }
}

/// Adds the autoscaler's decision, which is more important than the current nodes.
void mind_growth(const Facts& facts, const Json& pod, Cause& cause) {
  const Json *grows = newest_event(facts, pod, kGrows), *does_not = newest_event(facts, pod, kDoesNotGrow);
  if (grows && (!does_not || !api::is_earlier_event(*grows, *does_not))) {
    const std::string today = cause.summary;
    cause.code = CauseCode::scaling_up;
    cause.outlook = Outlook::starting;
    cause.brief = "a node is being added";
    cause.summary = "no node has room for it now; the cluster's autoscaler is adding a node; " + today;
    cause.message = api::message_of(*grows);
    cause.remedies.clear();
  } else if (does_not) {
    const std::string said = api::message_of(*does_not);
    cause.summary += "; the cluster's autoscaler adds no node: " + said;
    // A node group at its limit may shrink, and then has room again. If the nodes of no group are suitable,
    // that never changes.
    if (cause.outlook == Outlook::never && said.find("max node group size reached") != std::string::npos)
      cause.outlook = Outlook::waits;
  }
}

/// Says how many pods the gang is short of.
void speak_of_gang(const GangState& gang, Cause& cause) {
  if (cause.outlook == Outlook::starting || gang.size == 1) return;
  const int64_t missing = gang.size - gang.with_room;
  cause.brief = fmt::format("no room for {} of {} pods: {}", missing, gang.size, cause.brief);
  cause.summary = fmt::format("its {} pods only start together, and {} of them {} no room: {}", gang.size,
                              missing, missing == 1 ? "has" : "have", cause.summary);
}

std::vector<const Json*> specs_without_node(const Facts& facts) {
  std::vector<const Json*> specs;
  for (const Json* pod : facts.pods)
    if (api::node_of(*pod).empty() && api::phase_of(*pod) == "Pending" && !api::is_being_deleted(*pod))
      specs.push_back(&api::spec_of(*pod));
  return specs;
}

}  // namespace

namespace {

/// Whether the pod fits on no node, even if nothing else ran there. The scheduler says this of each node that
/// is too small (Kubernetes' noderesources/fit.go: Unresolvable).
bool never_fits(const SchedulerMessage& said) {
  using enum SchedulerMessage::Kind;
  return said.preemption_cannot_help && !said.reasons.empty() &&
         std::all_of(said.reasons.begin(), said.reasons.end(), [](const auto& reason) {
           return reason.kind == resource || reason.kind == taint || reason.kind == labels;
         });
}

/// The cause if the scheduler's only reasons are that all nodes are too small.
Cause too_small_for(const std::vector<SchedulerMessage::Reason>& reasons) {
  std::string names;
  for (const SchedulerMessage::Reason& reason : reasons)
    names += (names.empty() ? "" : " and ") + (reason.detail.ends_with("/gpu") ? "GPUs" : reason.detail);
  const std::string brief = "no node has enough " + names;
  return make_cause(CauseCode::too_large, brief, brief);
}

}  // namespace

bool nodes_tell(const SchedulerMessage& said) {
  using enum SchedulerMessage::Kind;
  return !said.reasons.empty() &&
         std::all_of(said.reasons.begin(), said.reasons.end(), [](const auto& reason) {
           return reason.kind != port && reason.kind != affinity && reason.kind != volume &&
                  reason.kind != other;
         });
}

Cause cause_of_scheduler_message(const Json& pod, const std::string& message) {
  if (auto missing = missing_object(message, api::namespace_of(pod))) {
    missing->message = message;
    return *missing;
  }
  SchedulerMessage parsed = parse_scheduler_message(message);
  // Reasons that a command or the end of another job can change come first, because a table may only show the
  // first reason.
  std::stable_sort(parsed.reasons.begin(), parsed.reasons.end(),
                   [](const auto& a, const auto& b) { return a.kind < b.kind; });
  std::string words;
  CauseCode found = CauseCode::none;
  const bool is_for_ever = never_fits(parsed);
  for (const SchedulerMessage::Reason& reason : parsed.reasons) {
    const CauseCode its = code_of(reason.kind);
    found = found == CauseCode::none || found == its ? its : CauseCode::unschedulable;
    words += (words.empty() ? "" : ", ") + in_words(reason, is_for_ever);
  }
  Cause cause = is_for_ever && found == CauseCode::resources_held
                    ? too_small_for(parsed.reasons)
                    : make_cause(found == CauseCode::none ? CauseCode::unschedulable : found,
                                 words.empty() ? "no suitable node" : words,
                                 "no suitable node: " + (words.empty() ? message : words));
  if (is_for_ever) cause.outlook = Outlook::never;
  cause.message = message;
  return cause;
}

/// The program that set the pod's scheduling gates, according to the managed fields.
std::string gate_keeper(const Json& pod) {
  for (const Json& entry : array_at(pod, {"metadata", "managedFields"}))
    if (find(entry, {"fieldsV1", "f:spec", "f:schedulingGates"}))
      return string_at(entry, {"manager"}) + ", which set it,";
  return "its owner";
}

Cause scheduling_cause(const Facts& facts, const Json& pod) {
  const api::Condition scheduled = api::condition(pod, "PodScheduled");
  const std::string node = api::nominated_node_of(pod);
  if (!scheduled)
    if (auto claim = claim_cause(facts, pod, "")) return *claim;
  if (!scheduled)
    if (auto incomplete = incomplete_gang_cause(facts, pod)) return *incomplete;
  if (!scheduled) return make_cause(CauseCode::scheduling, "", "the scheduler has not processed it yet");
  if (scheduled.reason() == "SchedulingGated") {
    std::string gates;
    for (const Json& gate : array_at(pod, {"spec", "schedulingGates"}))
      gates += (gates.empty() ? "" : ", ") + api::entry_name(gate);
    Cause cause = make_cause(CauseCode::scheduling_gate, "held by a scheduling gate",
                             "held by the scheduling gate" + (gates.empty() ? "" : " " + gates) + " until " +
                                 gate_keeper(pod) + " removes it");
    cause.remedies = {
        {"if nothing removes the gate, submit it again without spec.schedulingGates in its pods", ""}};
    return cause;
  }
  if (!node.empty())
    return make_cause(
        CauseCode::preempting, "starts next: waits for lower-priority jobs to stop",
        fmt::format("starts soon: lower-priority pods are being stopped for it on node {}", node));
  const std::optional<GangState> gang = gang_state(facts, pod);
  const std::string message = gang && !gang->reason.empty() ? gang->reason : scheduled.message();
  // This happens, for example, if an object is not yet in the scheduler's cache.
  if (scheduled.reason() == "SchedulerError")
    return make_cause(CauseCode::scheduling, "the scheduler tries again",
                      "the scheduler hit an error and will try again: " + message);
  // The embedded server says this of each pod until the last pod of its gang exists.
  if (contains(message, "pods that must start together exist"))
    return make_cause(CauseCode::gang_incomplete, message, message);
  Cause cause = cause_of_scheduler_message(pod, message);
  if (auto volume = volume_cause(facts, pod, message)) return *volume;
  if (auto claim = claim_cause(facts, pod, message)) return *claim;
  if (auto topology = gang_topology_cause(facts, pod)) return *topology;
  // Only replaces reasons that nodes_cause() examines. About affinity and ports, the scheduler's message is
  // better.
  if (facts.nodes) {
    static const std::vector<Json> kUnknown;
    const std::vector<Json>& pods = facts.active_pods ? *facts.active_pods : kUnknown;
    std::vector<Room> rooms = rooms_of(*facts.nodes, pods);
    reserve_nominated(rooms, pods, facts, api::priority_of(pod));
    if (auto by_nodes = nodes_cause(facts, specs_without_node(facts), std::move(rooms)))
      cause = std::move(*by_nodes);
    else if (facts.active_pods && nodes_tell(parse_scheduler_message(message)))
      cause = make_cause(CauseCode::scheduling, "starting",
                         "a node has room now; the scheduler tries again by itself");
    cause.message = message;
  }
  mind_growth(facts, pod, cause);
  if (gang) speak_of_gang(*gang, cause);
  return cause;
}

}  // namespace kml::job
