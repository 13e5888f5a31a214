#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "job/capacity/kueue_api.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

// Explains why Kueue does not find a rack, or another level of a Topology, for all pods of a job.

namespace kml::job {

namespace {

/// Pods that must be in one domain of a level.
struct Neighbors {
  std::string level;  ///< the label of nodes
  int64_t count = 0;
  const Json* pod = nullptr;  ///< PodSpec
};

/// The pod sets that require one domain each. A job whose pod sets share a domain is left out.
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

/// The most of these pods that the largest domain could run if all its nodes were empty. Empty if the nodes
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

Cause never_fits(const Neighbors& neighbors, int64_t most) {
  const std::string word = word_for_level(neighbors.level);
  Cause cause = make_cause(
      CauseCode::queue_topology, fmt::format("no {} is large enough for {} pods", word, neighbors.count),
      fmt::format("its {} pods must be in one {} ({}), and even an empty one has room for at most {}",
                  neighbors.count, word, neighbors.level, most));
  cause.outlook = Outlook::never;
  cause.priority = fmt::format("priority cannot help: no {} is large enough", word);
  cause.remedies = {{fmt::format("let it use several of them, or submit it again with at most {} pods", most),
                     fmt::format("kml submit --topology {}:preferred …", word)}};
  return cause;
}

/// "2" of "topology "dc" allows to fit only 2 out of 3 pod(s)"; 0 if none fits.
int64_t told_to_fit(const std::string& message) {
  constexpr std::string_view kOnly = "allows to fit only ";
  const size_t at = message.find(kOnly);
  return at == std::string::npos ? 0 : std::atoll(message.c_str() + at + kOnly.size());
}

Cause full(const Neighbors& neighbors, const std::string& message) {
  const std::string word = word_for_level(neighbors.level);
  const int64_t fitting = told_to_fit(message);
  Cause cause = make_cause(
      CauseCode::queue_topology, fmt::format("no {} has room for its {} pods", word, neighbors.count),
      fmt::format("its {} pods must be in one {} ({}), and {}", neighbors.count, word, neighbors.level,
                  fitting == 0 ? "none has room for any of them now"
                               : fmt::format("none has room for more than {} of them now", fitting)));
  cause.remedies = {
      {"wait, or let it use several of them", fmt::format("kml submit --topology {}:preferred …", word)}};
  return cause;
}

/// For pods that only prefer to be in one domain, or need not be in one.
std::optional<Cause> full_everywhere(const std::string& message) {
  constexpr std::string_view kOutOf = " out of ";
  const int64_t fitting = told_to_fit(message);
  const size_t at = message.find(kOutOf);
  if (fitting == 0 || at == std::string::npos) return {};
  const int64_t all = std::atoll(message.c_str() + at + kOutOf.size());
  return make_cause(CauseCode::queue_topology, fmt::format("room for only {} of {} pods", fitting, all),
                    fmt::format("the nodes of its queue have room for only {} of {} pods now", fitting, all));
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

}  // namespace

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
