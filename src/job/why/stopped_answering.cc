// When a node dies, its pods keep the status that it last reported. The node controller marks the pods, and
// deletes each one after the time that the pod tolerates. But nothing confirms that the pods have stopped.
#include <fmt/format.h>

#include <algorithm>

#include "job/capacity/node_rules.h"
#include "job/views/lost_pods.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The pod's node; nullptr if it is unknown.
const Json* node_in(const Facts& facts, const Json& pod) {
  const std::string name = api::node_of(pod);
  if (facts.node && api::name_of(*facts.node) == name) return &*facts.node;
  if (!facts.nodes) return nullptr;
  for (const Json& node : *facts.nodes)
    if (api::name_of(node) == name) return &node;
  return nullptr;
}

bool is_silent(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  return ready && !ready.is_true();
}

/// How long the pod tolerates this taint on its node; empty if it tolerates it forever.
std::optional<std::chrono::seconds> tolerated(const Json& pod, std::string_view taint) {
  std::optional<std::chrono::seconds> time = std::chrono::seconds(0);
  for (const Json& toleration : api::tolerations_in(api::spec_of(pod))) {
    const std::string key = string_at(toleration, {"key"}), effect = string_at(toleration, {"effect"});
    if ((!key.empty() && key != taint) || (!effect.empty() && effect != "NoExecute")) continue;
    if (!find(toleration, {"tolerationSeconds"})) return {};
    time = std::max(*time, std::chrono::seconds(int_at(toleration, {"tolerationSeconds"})));
  }
  return time;
}

/// Whether the controller only creates a new pod once the old one has ended (podReplacementPolicy, whose
/// default depends on the pod failure policy).
bool replaces_only_ended(const Json& job) {
  const bool has_policy = find(job, {"spec", "podFailurePolicy"}) != nullptr;
  return string_at(job, {"spec", "podReplacementPolicy"}, has_policy ? "Failed" : "TerminatingOrFailed") ==
         "Failed";
}

std::string what_follows(const Facts& facts, const Json& pod, const api::Condition& ready) {
  const std::string after =
      !is_plain_job(facts.job) ? ""
      : replaces_only_ended(facts.job)
          ? "; another pod takes its place once the node answers again or is removed from the cluster"
          : "; another pod then takes its place";
  if (api::is_being_deleted(pod))
    return "; the pod is being deleted, but the node has not confirmed that the pod has stopped" + after;
  const auto stays =
      tolerated(pod, ready.is_false() ? "node.kubernetes.io/not-ready" : "node.kubernetes.io/unreachable");
  if (!stays) return "; its pod tolerates that forever";
  if (!ready.since()) return {};
  const Time at = *ready.since() + *stays;
  return fmt::format("; the pod is deleted {}{}", when_in_words(at, facts.now), after);
}

}  // namespace

std::optional<Cause> silent_node_cause(const Facts& facts, const Json& pod) {
  if (api::phase_of(pod) != "Running" && api::phase_of(pod) != "Unknown") return {};
  const Json* node = node_in(facts, pod);
  const bool is_lost = node ? is_silent(*node) : is_on_lost_node(pod);
  if (!is_lost) return {};
  const std::string name = api::node_of(pod);
  const api::Condition ready = node ? api::condition(*node, "Ready") : api::Condition();
  std::string since;
  if (ready.since())
    since =
        fmt::format(" since {} ({})", rfc3339(*ready.since()), short_duration(facts.now - *ready.since()));
  Cause cause = make_cause(CauseCode::node_lost, "node " + name + " does not answer",
                           fmt::format("node {} of pod {} does not answer{}{}", name, api::name_of(pod),
                                       since, what_follows(facts, pod, ready)));
  cause.message = ready ? ready.message() : std::string();
  cause.remedies = {{"ask an administrator to start node " + name +
                         " again, or to remove it from the cluster if it "
                         "does not come back",
                     ""}};
  return cause;
}

std::optional<Cause> lost_pods_cause(const Facts& facts, const std::string& what) {
  const LostPods lost = lost_pods_among(facts.pods);
  if (lost.empty()) return {};
  Cause cause = make_cause(CauseCode::node_lost, lost.brief(), what + ", but " + lost.in_words(facts.now));
  const std::vector<std::string> nodes(lost.nodes.begin(), lost.nodes.end());
  const bool is_one = nodes.size() == 1;
  cause.remedies = {{fmt::format("ask an administrator to start {} again, or to remove {} from the cluster",
                                 join(nodes, ", "), is_one ? "it" : "them"),
                     ""}};
  return cause;
}

std::optional<Cause> stuck_stopping_cause(const Facts& facts, const Json& pod) {
  constexpr std::chrono::seconds kPatience{60};
  const auto due = api::time_at(pod, {"metadata", "deletionTimestamp"});  // when its grace period ends
  if (!due || facts.now == Time() || facts.now - *due < kPatience) return {};
  std::string keeper = "its node " + api::node_of(pod) + " has not stopped it",
              remedy = "see the state of the node";
  std::string command = "kml list nodes";
  const bool any_runs = std::any_of(api::container_statuses(pod).begin(), api::container_statuses(pod).end(),
                                    [](const Json& status) { return api::is_running(status); });
  std::vector<std::string> finalizers;
  for (const Json& one : api::finalizers_of(pod))
    if (one.is_string()) finalizers.push_back(one.get<std::string>());
  if (!any_runs && !finalizers.empty()) {
    const std::string names =
        (finalizers.size() == 1 ? "finalizer " : "finalizers ") + join(finalizers, ", ");
    keeper = names + (finalizers.size() == 1 ? " keeps it" : " keep it");
    remedy = "ask an administrator why nothing removes " + names;
    command.clear();
  }
  Cause cause = make_cause(CauseCode::stopping_stuck, "has not stopped",
                           fmt::format("pod {} should have stopped {} ago, but {}", api::name_of(pod),
                                       short_duration(facts.now - *due), keeper));
  cause.remedies = {{remedy, command}};
  return cause;
}

}  // namespace kml::job
