#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/capacity/kueue_api.h"
#include "job/why/causes.h"
#include "job/why/room.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

// Explains why Kueue, or the scheduler for a PodGroup, does not find a rack, or another level of a topology,
// for all pods of a job.

namespace kml::job {

namespace {

/// Pods that must be in one domain of a level.
struct Neighbors {
  std::string level;  ///< the label of nodes
  int64_t count = 0;
  const Json* pod = nullptr;  ///< PodSpec
};

/// The pod sets that require one domain each. Does not consider pod sets that must share a domain.
std::vector<Neighbors> required_neighbors(const Json& workload) {
  std::vector<Neighbors> all;
  for (const Json& set : array_at(workload, {"spec", "podSets"})) {
    std::string level = string_at(set, {"topologyRequest", "required"});
    if (!level.empty())
      all.push_back({std::move(level), int_at(set, {"count"}, 1), &object_at(set, {"template", "spec"})});
  }
  return all;
}

/// "rack" for "example.com/rack"
std::string word_for_level(const std::string& label) {
  return label.substr(label.rfind('/') + 1);
}

/// How many of these pods an empty node could run.
int64_t fitting_on(const Json& node, const Json& pod_spec) {
  const api::Amounts room = api::allocatable_of(node);
  int64_t count = std::numeric_limits<int64_t>::max();
  for (const auto& [resource, amount] : api::pod_requests(pod_spec)) {
    if (amount == 0) continue;
    const auto found = room.find(resource);
    count = std::min(count, found == room.end() ? 0 : found->second / amount);
  }
  return count;
}

/// How many of these pods the largest domain could run if all its nodes were empty. Empty if the nodes
/// are unknown.
std::optional<int64_t> most_in_one_domain(const Facts& facts, const Neighbors& neighbors) {
  if (!facts.nodes) return {};
  std::map<std::string, int64_t> by_domain;
  for (const Json& node : *facts.nodes) {
    const std::string domain = api::label_of(node, neighbors.level);
    if (domain.empty() || !api::missing_node_labels(node, *neighbors.pod).empty()) continue;
    int64_t& sum = by_domain[domain];
    sum = std::min(neighbors.count, sum + std::min(neighbors.count, fitting_on(node, *neighbors.pod)));
  }
  int64_t most = 0;
  for (const auto& [domain, sum] : by_domain) most = std::max(most, sum);
  return most;
}

/// "its 4 pods", or "its pod"
std::string its_pods(int64_t count) {
  return count == 1 ? "its pod" : fmt::format("its {} pods", count);
}

std::string pods(int64_t count) {
  return fmt::format("{} pod{}", count, count == 1 ? "" : "s");
}

/// Without room for a single pod, neither fewer pods nor several domains help.
Cause never_fits(const Neighbors& neighbors, int64_t most) {
  const std::string word = word_for_level(neighbors.level);
  Cause cause = make_cause(
      CauseCode::queue_topology, fmt::format("no {} is large enough for {}", word, pods(neighbors.count)),
      fmt::format("{} must be in one {} ({}), and even an empty one has {}", its_pods(neighbors.count), word,
                  neighbors.level,
                  most == 0 ? (neighbors.count == 1 ? "no room for it" : "no room for any of them")
                            : fmt::format("room for at most {}", most)));
  cause.outlook = Outlook::never;
  cause.priority = fmt::format("priority cannot help: no {} is large enough", word);
  if (most == 0)
    cause.remedies = {{"submit it again, and request less per pod", ""}};
  else
    cause.remedies = {
        {fmt::format("let the job use several {}s, or submit it again with at most {}", word, pods(most)),
         fmt::format("kml submit --topology {}:preferred …", word)}};
  return cause;
}

/// "2" of "topology "dc" allows to fit only 2 out of 3 pod(s)"; 0 for other messages.
int64_t told_to_fit(const std::string& message) {
  constexpr std::string_view kOnly = "allows to fit only ";
  const size_t at = message.find(kOnly);
  return at == std::string::npos ? 0 : std::atoll(message.c_str() + at + kOnly.size());
}

Cause full(const Neighbors& neighbors, const std::string& message) {
  const std::string word = word_for_level(neighbors.level);
  const int64_t fitting = told_to_fit(message);
  Cause cause = make_cause(
      CauseCode::queue_topology, fmt::format("no {} has room for {}", word, its_pods(neighbors.count)),
      fmt::format("{} must be in one {} ({}), and {}", its_pods(neighbors.count), word, neighbors.level,
                  neighbors.count == 1 ? "none has room for it now"
                  : fitting == 0       ? "none has room for any of them now"
                                       : fmt::format("none has room for more than {} of them now", fitting)));
  if (neighbors.count > 1)
    cause.remedies = {{fmt::format("wait, or let the job use several {}s", word),
                       fmt::format("kml submit --topology {}:preferred …", word)}};
  return cause;
}

/// The cause for pods that only prefer to be in one domain, or need not be in one.
std::optional<Cause> full_everywhere(const std::string& message) {
  constexpr std::string_view kOutOf = " out of ";
  const int64_t fitting = told_to_fit(message);
  const size_t at = message.find(kOutOf);
  if (fitting == 0 || at == std::string::npos) return {};
  const int64_t all = std::atoll(message.c_str() + at + kOutOf.size());
  return make_cause(
      CauseCode::queue_topology, fmt::format("room for only {} of {}", fitting, pods(all)),
      fmt::format("the nodes of its queue have room for only {} of {} now", fitting, pods(all)));
}

Cause no_such_level(const Json& workload, const std::string& queue) {
  std::string level;
  for (const Json& set : array_at(workload, {"spec", "podSets"}))
    for (const char* kind : {"required", "preferred"})
      if (level.empty()) level = string_at(set, {"topologyRequest", kind});
  Cause cause = make_cause(
      CauseCode::queue_topology, "queue " + queue + " has no level " + level,
      fmt::format("queue {} has no topology level {}, which the job requests for its pods", queue, level));
  cause.outlook = Outlook::never;
  cause.remedies = {{"submit it again with another level", "kml submit --topology LEVEL …"}};
  return cause;
}

/// How many of the pods fit into the domain that has the most room; empty if no node has the label.
std::optional<size_t> most_placed(const std::vector<const Json*>& specs, const std::vector<Room>& rooms,
                                  const std::string& level) {
  std::map<std::string, std::vector<Room>> by_domain;
  for (const Room& room : rooms)
    if (const std::string domain = api::label_of(*room.node, level); !domain.empty())
      by_domain[domain].push_back(room);
  std::optional<size_t> most;
  for (auto& [domain, own] : by_domain)
    most = std::max(most.value_or(0), specs.size() - place(specs, own).size());
  return most;
}

/// The label of nodes that all pods of the gang must share; empty if the PodGroup was not read.
std::string level_of_gang(const Facts& facts, const std::string& group) {
  if (facts.native_groups)
    for (const Json& one : *facts.native_groups)
      if (api::name_of(one) == group)
        for (const Json& constraint : array_at(one, {"spec", "schedulingConstraints", "topology"}))
          return string_at(constraint, {"key"});
  return {};
}

}  // namespace

std::optional<Cause> gang_topology_cause(const Facts& facts, const Json& pod) {
  const std::string group = api::pod_group_of(pod);
  std::vector<const Json*> specs;
  std::string message;
  for (const Json* one : facts.pods) {
    if (api::pod_group_of(*one) != group || !api::node_of(*one).empty()) continue;
    specs.push_back(&api::spec_of(*one));
    if (tells_of_placements(*one)) message = api::condition(*one, "PodScheduled").message();
  }
  if (message.empty()) return {};
  const auto count = static_cast<int64_t>(specs.size());
  const std::string level = level_of_gang(facts, group);
  // For a gang without a topology, the only placement may be the set of all nodes.
  if (level.empty() && (facts.native_groups || contains(message, "0/1 placements"))) return {};
  const std::string word = level.empty() ? "topology domain" : word_for_level(level);
  const std::string all =
      fmt::format("{} must be in one {}{}", its_pods(count), word, level.empty() ? "" : " (" + level + ")");
  Cause cause =
      make_cause(CauseCode::resources_held, fmt::format("no {} has room for {}", word, its_pods(count)),
                 all + ", and none has room for all of them now");
  cause.message = message;
  if (level.empty() || !facts.nodes || !facts.active_pods) return cause;
  const auto ever = most_placed(specs, rooms_of(*facts.nodes, {}), level);
  const auto now = most_placed(specs, rooms_of(*facts.nodes, *facts.active_pods), level);
  if (!ever || *ever < specs.size()) {
    cause.code = CauseCode::too_large;
    cause.outlook = Outlook::never;
    cause.brief = fmt::format("no {} is large enough for {}", word, pods(count));
    cause.summary =
        all + (!ever        ? ", and no node has this label"
               : *ever == 0 ? ", and even an empty one has no room for any of them"
                            : fmt::format(", and even an empty one has room for at most {}", *ever));
    cause.priority = fmt::format("priority cannot help: no {} is large enough", word);
    cause.remedies = {{fmt::format("submit it again without the topology in PodGroup {}", group), ""}};
    return cause;
  }
  if (now && *now >= specs.size())
    cause = make_cause(CauseCode::scheduling, "starting",
                       fmt::format("a {} has room now; the scheduler tries again by itself", word));
  else
    cause.summary = fmt::format("{}, and none has room for more than {} of them now", all, now.value_or(0));
  cause.message = message;
  return cause;
}

bool requires_topology(const Json& workload) {
  return !required_neighbors(workload).empty();
}

std::optional<Cause> topology_cause(const Facts& facts, const Json& workload, CauseCode code,
                                    const std::string& message) {
  std::optional<Cause> cause;
  const std::vector<Neighbors> all = required_neighbors(workload);
  if (contains(message, "does not contain the requested level")) {
    cause = no_such_level(workload, queue_name_of(workload));
  } else if (!all.empty()) {
    for (const Neighbors& neighbors : all)
      if (const auto most = most_in_one_domain(facts, neighbors); !cause && most && *most < neighbors.count)
        cause = never_fits(neighbors, *most);
    if (!cause && code == CauseCode::queue_topology) cause = full(all[0], message);
  } else if (code == CauseCode::queue_topology) {
    cause = full_everywhere(message);
  }
  if (cause) cause->message = message;
  return cause;
}

}  // namespace kml::job
