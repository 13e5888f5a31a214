#include "job/preflight/node_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/capacity/node_rules.h"
#include "job/preflight/questions.h"
#include "job/why/causes.h"
#include "job/why/room.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

namespace {

/// Prefixes of labels and annotations that node pools, autoscalers and machine controllers set.
constexpr std::string_view kMarks[] = {"cluster-autoscaler.kubernetes.io/",
                                       "karpenter.sh/",
                                       "cluster.x-k8s.io/",
                                       "machine.openshift.io/",
                                       "cloud.google.com/",
                                       "eks.amazonaws.com/",
                                       "kubernetes.azure.com/"};
/// Providers of clusters to which no autoscaler adds nodes.
constexpr std::string_view kFixedProviders[] = {"kind://", "k3s://"};
/// API groups of Karpenter, of the autoscaler's provisioning requests, and of Cluster API.
constexpr std::string_view kGroups[] = {"karpenter.sh", "autoscaling.x-k8s.io", "cluster.x-k8s.io"};

bool is_of_a_pool(const Json& node) {
  for (const char* part : {"labels", "annotations"})
    for (const auto& [key, value] : object_at(node, {"metadata", part}).items())
      if (std::any_of(std::begin(kMarks), std::end(kMarks),
                      [&key = key](std::string_view mark) { return key.starts_with(mark); }))
        return true;
  const std::string provider = string_at(node, {"spec", "providerID"});
  return !provider.empty() &&
         std::none_of(std::begin(kFixedProviders), std::end(kFixedProviders),
                      [&](std::string_view fixed) { return provider.starts_with(fixed); });
}

bool has_group(const std::string& groups) {
  const Json parsed = Json::parse(groups, nullptr, false);
  const Json& list = array_at(parsed, {"groups"});
  return std::any_of(list.begin(), list.end(), [](const Json& group) {
    return std::find(std::begin(kGroups), std::end(kGroups), api::entry_name(group)) != std::end(kGroups);
  });
}

}  // namespace

bool may_get_other_nodes(kube::Client& client, const std::vector<Json>& nodes) {
  if (std::any_of(nodes.begin(), nodes.end(), is_of_a_pool)) return true;
  Questions questions(client.transport());
  bool may = false;
  questions.ask("/apis", [&](const Questions::Answer& answer) {
    may = may || answer.status != 200 || has_group(answer.body);
  });
  questions.ask_for_metadata(
      api::find_kind("v1", "ConfigMap")->path("kube-system", "cluster-autoscaler-status"),
      [&](const Questions::Answer& answer) { may = may || answer.status != 404; });
  questions.wait();
  return may;
}

namespace {

std::string names_of(const std::vector<Holder>& holders) {
  std::vector<std::string> names;
  for (const Holder& holder : holders) names.push_back(in_words(holder));
  return some_of(names);
}

std::string wait_text(const Cause& cause) {
  if (cause.shortfalls.empty()) return "would wait: " + cause.summary;
  return "would wait for " + missing_text(cause.shortfalls) +
         (cause.holders.empty() ? "" : " held by " + names_of(cause.holders)) +
         (cause.order.empty() ? "" : "; " + cause.order);
}

/// Whether the scheduler places the pods all together or not at all: a native gang, or a gang on the embedded
/// server.
bool start_together(const std::vector<const Json*>& specs, const std::vector<Room>& rooms) {
  return !string_at(*specs[0], {"schedulingGroup", "podGroupName"}).empty() ||
         std::any_of(rooms.begin(), rooms.end(), is_embedded);
}

/// How many of the pods would have room if the scheduler preempted pods of lower priority for each of them.
/// The scheduler does so pod by pod, even if it then finds no room for the other pods.
size_t placed_by_preemption(const std::vector<const Json*>& specs, const std::vector<Json>& nodes,
                            const std::vector<Json>& pods) {
  std::vector<Json> staying;
  for (const Json& pod : pods)
    if (!api::may_preempt(*specs[0]) || api::priority_of(pod) >= int_at(*specs[0], {"priority"}))
      staying.push_back(pod);
  static const Json kNotYetMade = Json::object();
  std::vector<Room> rooms = rooms_of(nodes, staying);
  reserve_nominated(rooms, pods, {.job = kNotYetMade}, int_at(*specs[0], {"priority"}));
  return specs.size() - place(specs, rooms).size();
}

constexpr const char* kAfterPreemption = "once the lower-priority jobs that it preempts have stopped";

/// Whether the scheduler would preempt pods of lower priority for pods with these specs.
bool would_preempt(const std::vector<const Json*>& specs, const std::vector<Room>& rooms) {
  const auto in_the_way = priority_in_the_way(specs, rooms);
  return in_the_way && *in_the_way < int_at(*specs[0], {"priority"}) && api::may_preempt(*specs[0]);
}

/// The name of a pod that would take the room of the preempted pods: it waits with a higher priority, so the
/// scheduler tries it first, and leaves no room for the pods with `specs`. Empty if no pod would.
std::string rival_of(const std::vector<const Json*>& specs, const std::vector<Json>& nodes,
                     const std::vector<Json>& pods) {
  const long long own = int_at(*specs[0], {"priority"});
  std::vector<Json> staying;
  std::vector<const Json*> all;
  std::string rival;
  for (const Json& pod : pods) {
    const Json& spec = api::spec_of(pod);
    const long long priority = int_at(spec, {"priority"});
    if (!api::node_of(pod).empty()) {
      if (priority >= own) staying.push_back(pod);
    } else if (priority > own && array_at(spec, {"schedulingGates"}).empty()) {
      if (rival.empty()) rival = api::name_of(pod);
      all.push_back(&spec);
    }
  }
  all.insert(all.end(), specs.begin(), specs.end());
  std::vector<Room> rooms = rooms_of(nodes, staying);
  const std::vector<const Json*> left = place(all, rooms);
  const bool any_own = std::any_of(left.begin(), left.end(), [&](const Json* spec) {
    return std::find(specs.begin(), specs.end(), spec) != specs.end();
  });
  return any_own ? rival : "";
}

Json without_taints(Json node) {
  if (Json& spec = node["spec"]; spec.is_object()) spec.erase("taints");
  return node;
}

}  // namespace

std::optional<Cause> too_large_for_nodes(const std::vector<PodsWanted>& wanted,
                                         const std::vector<Json>& nodes, bool all_at_once) {
  static const Json kNotYetMade = Json::object();
  std::vector<Json> open;
  for (const Json& node : nodes) open.push_back(without_taints(opened_node(node)));
  const auto cause_for = [&](const std::vector<const Json*>& specs) {
    return nodes_cause({.job = kNotYetMade}, specs, rooms_of(open, {}));
  };
  std::vector<const Json*> all;
  for (const PodsWanted& group : wanted) {
    if (group.count < 1) continue;
    if (auto cause = cause_for({&group.spec}))
      return all_at_once ? cause_for(std::vector<const Json*>(static_cast<size_t>(group.count), &group.spec))
                         : cause;
    all.insert(all.end(), static_cast<size_t>(group.count), &group.spec);
  }
  return all_at_once ? cause_for(all) : std::nullopt;
}

Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods, bool all_at_once) {
  static const Json kNotYetMade = Json::object();
  const Facts facts{.job = kNotYetMade},
      with_waiting{.job = kNotYetMade, .active_pods = pods, .now = system_clock().now()};
  std::vector<const Json*> specs;
  for (const PodsWanted& group : wanted)
    specs.insert(specs.end(), static_cast<size_t>(std::max(group.count, 0)), &group.spec);
  std::vector<Room> present = rooms_of(nodes, pods);
  if (!specs.empty()) reserve_nominated(present, pods, facts, int_at(*specs[0], {"priority"}));
  if (!all_at_once && specs.size() > 1) {
    std::vector<Room> rooms = present;
    const std::vector<const Json*> later = place(specs, rooms);
    const size_t begun = specs.size() - later.size();
    if (begun > 0 && begun < specs.size())
      return {Forecast::Verdict::starts,
              fmt::format("starts now with {} of its {} pods; the others start {}", begun, specs.size(),
                          would_preempt({later[0]}, rooms) ? kAfterPreemption : "as room becomes free")};
    if (begun == 0) specs.resize(1);
  }
  // checks empty nodes first: a pod that does not fit on those never starts
  for (const bool is_empty : {true, false}) {
    const std::vector<Room> rooms = is_empty ? rooms_of(nodes, {}) : present;
    const auto cause = nodes_cause(is_empty ? facts : with_waiting, specs, rooms);
    if (cause && cause->outlook == Outlook::never)
      return {Forecast::Verdict::never, "cannot run: " + cause->summary,
              cause->remedies.empty() ? "request what a node has: `kml list nodes -o wide`"
                                      : in_words(cause->remedies[0])};
    const bool preempts = cause && would_preempt(specs, rooms);
    if (const std::string rival = preempts ? rival_of(specs, nodes, pods) : ""; !rival.empty())
      return {Forecast::Verdict::waits, "would wait: it would preempt lower-priority jobs, but pod " + rival +
                                            ", which waits with a higher priority, would take their room"};
    if (preempts) return {Forecast::Verdict::starts, std::string("starts ") + kAfterPreemption};
    if (!cause) continue;
    std::vector<Room> now = present;
    const size_t placed = specs.size() - place(specs, now).size(),
                 preempting = specs.size() < 2 || start_together(specs, present)
                                  ? 0
                                  : placed_by_preemption(specs, nodes, pods);
    return {
        Forecast::Verdict::waits,
        wait_text(*cause) + (preempting <= placed
                                 ? ""
                                 : fmt::format("; it would preempt lower-priority jobs for {} of its {} pods",
                                               preempting - placed, specs.size()))};
  }
  return {Forecast::Verdict::starts, "starts now"};
}

}  // namespace kml::job
