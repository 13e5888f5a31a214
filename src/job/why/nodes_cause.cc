#include "job/why/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "job/capacity/node_rules.h"
#include "job/why/held_cause.h"
#include "job/why/room.h"
#include "kml/base/text.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::job {

namespace {

using api::Amounts;

/// "gpu-1", "gpu-1, gpu-2 and 3 more".
std::string names_of(const std::vector<const Room*>& rooms) {
  std::vector<std::string> names;
  for (const Room* room : rooms) names.push_back(api::name_of(*room->node));
  return some_of(names);
}

std::string nodes_text(const std::vector<const Room*>& rooms) {
  return fmt::format("{} {}", rooms.size() == 1 ? "node" : "nodes", names_of(rooms));
}

/// How many of the missing labels the node has with a different value. Other jobs may depend on that value.
size_t contrary_labels(const Json& node, const Json& spec) {
  size_t contrary = 0;
  for (const std::string& label : missing_labels(node, spec))
    contrary += find(node, {"metadata", "labels", label.substr(0, label.find('='))}) ? 1 : 0;
  return contrary;
}

/// The GPU types of the nodes, as `--gpus` accepts them.
std::vector<std::string> gpu_types_on(const std::vector<const Room*>& rooms) {
  std::set<std::string> types;
  for (const Room* room : rooms)
    for (const auto& [resource, amount] : room->total)
      if (api::is_gpu_resource(resource) && amount > 0) types.insert(gpu_type_of_node(*room->node, resource));
  return {types.begin(), types.end()};
}

/// The command that requests less. `most` is how much of the resource a node has, in thousandths of its unit.
std::string command_for_less(const std::string& resource, int64_t most) {
  if (resource == "memory") return "kml submit --memory SIZE …";
  if (resource != "cpu" && !resource.ends_with("/gpu")) return "kml submit …";
  const std::string amount = most % 1000 == 0 ? std::to_string(most / 1000) : std::to_string(most) + "m";
  return fmt::format("kml submit {} {} …", resource == "cpu" ? "--cpu" : "--gpus", amount);
}

/// The command with which this machine simulates the GPUs that so many pods with this spec need at the same
/// time; empty if the embedded server cannot simulate them.
std::string command_to_simulate(const Json& spec, size_t pods) {
  constexpr int64_t kMost = 9'999;
  const Amounts gpus = api::gpu_requests(spec);
  const std::string type = gpu_type_of_pod(spec);
  if (gpus.size() != 1 || !gpus.begin()->first.starts_with("nvidia.com/")) return {};
  const int64_t count = gpus.begin()->second / 1000 * static_cast<int64_t>(pods);
  if (!spec::gpu_type_problem(type).empty() || count > kMost) return {};
  return fmt::format("kml local down && kml local up --fake-gpus {}{}", type.empty() ? "" : type + ":",
                     count);
}

/// The cause if no node in `rooms` has GPUs of this type, or none of them has any GPUs. `selector` says in
/// words which nodes these are. `simulate` is the result of command_to_simulate().
Cause no_such_gpus(CauseCode code, const std::string& type, const std::string& asked,
                   const std::vector<const Room*>& rooms, const std::string& selector,
                   const std::string& simulate) {
  const std::vector<std::string> types = gpu_types_on(rooms);
  const std::string what =
      "no node" + selector + " has GPUs" + (types.empty() ? std::string() : " of type " + type);
  Cause cause = make_cause(
      code, what,
      what + (types.empty() ? ": a pod asks for " + asked : "; available types: " + join(types, ", ")));
  const bool is_here = std::ranges::all_of(rooms, [](const Room* room) { return is_embedded(*room); });
  if (types.empty() && is_here && !simulate.empty())
    cause.remedies = {{"submit it again without GPUs, or let this machine simulate some", simulate}};
  else if (types.empty())
    cause.remedies = {{"submit it again without GPUs", "kml submit …"}};
  else
    cause.remedies = {{"submit it again with a type that a node has", "kml submit --gpus TYPE:N …"}};
  return cause;
}

/// Whether a node's label with this key is about the type of its GPUs.
bool names_type(const std::string& key) {
  return key == "nvidia.com/gpu.product" || key == "cloud.google.com/gke-accelerator";
}

/// The GPU type if a pod requests one by labels, and requests no other labels; otherwise empty.
std::string only_gpu_type(const Json& spec) {
  for (const auto& [key, value] : api::node_selector_in(spec).items())
    if (!names_type(key)) return {};
  for (const Json& term : api::node_terms_in(spec))
    for (const Json& expression : api::requirements_in(term))
      if (!names_type(api::key_of(expression))) return {};
  return gpu_type_of_pod(spec);
}

constexpr const char* kGpuMemory = "nvidia.com/gpu.memory";

/// How much memory in MiB the GPUs must have, if the pod selects nodes by the memory of GPUs, and otherwise
/// only by their type. Of several amounts, the least. Empty if it does not.
std::optional<int64_t> wanted_gpu_memory(const Json& spec) {
  std::optional<int64_t> least;
  if (!api::node_selector_in(spec).empty()) return {};
  for (const Json& term : api::node_terms_in(spec))
    for (const Json& expression : api::requirements_in(term)) {
      if (names_type(api::key_of(expression))) continue;
      const Json& values = api::values_in(expression);
      const auto above = values.size() == 1 && values[0].is_string()
                             ? whole_number(values[0].get_ref<const std::string&>())
                             : std::nullopt;
      if (api::key_of(expression) != kGpuMemory || api::operator_of(expression) != "Gt" || !above) return {};
      least = std::min<int64_t>(least.value_or(*above + int64_t{1}), *above + int64_t{1});
    }
  return least;
}

std::string mebibytes_text(int64_t mebibytes) {
  constexpr int64_t kPerGibibyte = 1024;
  return mebibytes % kPerGibibyte == 0 ? fmt::format("{} GiB ({} MiB)", mebibytes / kPerGibibyte, mebibytes)
                                       : fmt::format("{} MiB", mebibytes);
}

/// The cause if no node's GPUs have this much memory, or this type if there is one.
Cause no_such_memory(int64_t mebibytes, const std::string& type, const std::vector<const Room*>& rooms) {
  int64_t most = 0;
  for (const Room* room : rooms)
    most = std::max<int64_t>(most, whole_number(api::label_of(*room->node, kGpuMemory)).value_or(0));
  const std::string brief = "no node has GPUs " + (type.empty() ? "" : "of type " + type + " or ") + "with " +
                            mebibytes_text(mebibytes) + " of memory";
  Cause cause = make_cause(CauseCode::node_selector, brief,
                           brief + (most > 0 ? fmt::format("; the largest GPU has {} MiB", most)
                                             : fmt::format("; no node has the label {}", kGpuMemory)));
  cause.priority = "priority cannot help: no node has these GPUs";
  if (most > 0)
    cause.remedies = {{"request less memory per GPU", fmt::format("kml submit --gpus '>={}Mi:N' …", most)}};
  else if (std::ranges::all_of(rooms, [](const Room* room) { return is_embedded(*room); }))
    cause.remedies = {{"let this machine simulate GPUs of a type, whose memory is known",
                       "kml local down && kml local up --fake-gpus a100:1"}};
  else
    cause.remedies = {{"submit it again with a type of GPU", "kml submit --gpus TYPE:N …"}};
  return cause;
}

/// Labels of nodes, such as "zone=a", that resemble the missing ones: they have the same key or, if there are
/// none, a similar key.
std::vector<std::string> similar_labels(const std::vector<const Room*>& rooms,
                                        const std::vector<std::string>& missing) {
  std::map<std::string, std::set<std::string>> labels;  // values of labels by their key
  for (const Room* room : rooms)
    for (const auto& [key, value] : object_at(*room->node, {"metadata", "labels"}).items())
      labels[key].insert(value.is_string() ? value.get<std::string>() : "");
  std::vector<std::string> keys, similar;
  for (const auto& [key, values] : labels) keys.push_back(key);
  for (const std::string& label : missing) {
    const std::string key = label.substr(0, label.find('='));
    const std::optional<std::string> near = labels.contains(key) ? key : nearest(key, keys);
    if (!near) continue;
    for (const std::string& value : labels[*near])
      if (std::string other = *near + "=" + value; other != label) similar.push_back(std::move(other));
  }
  return similar;
}

/// The cause if no node has the required labels; `pods` is how many pods with these requests start together.
/// The nearest node has the fewest labels to change and, among
/// equals, the fewest to add. Of several such nodes, one that could then run the pod is taken.
Cause no_labels(const Choice& choice, const Json& spec, const Amounts& requests, size_t pods) {
  const auto distance = [&](const Room* room) {
    return std::tuple(contrary_labels(*room->node, spec), missing_labels(*room->node, spec).size(),
                      !api::fits(requests, room->total),
                      !refusal_of_node(*room->node, Json::object()).empty(),
                      !api::fits(requests, room->free));
  };
  const Room* nearest =
      *std::min_element(choice.rooms.begin(), choice.rooms.end(),
                        [&](const Room* a, const Room* b) { return distance(a) < distance(b); });
  const std::vector<std::string> missing = missing_labels(*nearest->node, spec);
  if (const std::string type = only_gpu_type(spec); !type.empty()) {
    Cause cause = no_such_gpus(CauseCode::node_selector, type, type + " GPUs", choice.rooms, "",
                               command_to_simulate(spec, pods));
    cause.priority = "priority cannot help: no node has these GPUs";
    return cause;
  }
  if (const auto memory = wanted_gpu_memory(spec))
    return no_such_memory(*memory, gpu_type_of_pod(spec), choice.rooms);
  const bool is_one = missing.size() == 1 && api::node_selector_in(spec).size() <= 1;
  const std::string labels = join(missing, ", ");
  const std::string brief = "no node has " + (is_one ? labels : "all the labels that it asks for");
  Cause cause = make_cause(CauseCode::node_selector, brief,
                           is_one ? brief
                                  : fmt::format("{}; node {} comes closest, but lacks {}", brief,
                                                api::name_of(*nearest->node), labels));
  cause.priority = "priority cannot help: no node has the labels";
  const std::vector<std::string> similar = similar_labels(choice.rooms, missing);
  if (!similar.empty()) cause.summary += "; nodes have " + some_of(similar, 6);
  if (missing.back().starts_with("the ")) return cause;
  cause.remedies = {
      {"submit it again with labels that nodes have (`kml list nodes -o wide`)",
       fmt::format("kml submit --node-selector {} …", similar.size() == 1 ? similar[0] : "KEY=VALUE")},
      {fmt::format("or ask an administrator to put {} on node {}",
                   (missing.size() == 1 ? "the label " : "the labels ") + labels,
                   api::name_of(*nearest->node)),
       ""}};
  return cause;
}

/// The largest amount of a resource, in thousandths of its unit, that each pod of a group can get if all
/// start together. Only CPUs can be requested in parts.
int64_t most_for_each(const std::vector<const Room*>& rooms, const std::string& resource, int64_t most,
                      size_t pods) {
  const auto hold = [&](int64_t amount) {
    int64_t count = 0;
    for (const Room* room : rooms) count += amount_of(room->total, resource) / amount;
    return count >= static_cast<int64_t>(pods);
  };
  const auto largest = [&](int64_t unit) {
    int64_t units = 0, too_many = most / unit + 1;
    while (too_many - units > 1) {
      const int64_t middle = (units + too_many) / 2;
      (hold(middle * unit) ? units : too_many) = middle;
    }
    return units * unit;
  };
  const int64_t whole = largest(api::kMilli);
  return whole == 0 && resource == "cpu" ? largest(1) : whole;
}

/// Whether the user has probably written `--cpu 500` for 500m.
bool is_probably_in_thousandths(const Shortfall& of) {
  constexpr int64_t kUsualLeast = 100;  // the fewest thousandths of a CPU that users request
  const int64_t typed = of.asked / 1000;
  return of.resource == "cpu" && of.asked % 1000 == 0 && typed >= kUsualLeast && typed <= of.most;
}

/// `pods` is how many pods with these requests start together.
Cause too_large(const Choice& choice, const Json& spec, const Amounts& requests, size_t pods) {
  const std::string selector = api::node_selector_in(spec).empty() ? "" : " with the requested labels";
  std::vector<Shortfall> shortfalls;
  for (const std::string& name : by_value(requests)) {
    int64_t most = 0;
    for (const Room* room : choice.rooms) most = std::max(most, amount_of(room->total, name));
    if (most < requests.at(name))
      shortfalls.push_back({name, requests.at(name), most, most, requests.at(name) - most});
  }
  if (shortfalls.empty())
    return make_cause(
        CauseCode::too_large, "no node has everything that a pod asks for",
        "no current node" + selector + " is large enough: none has everything that a pod asks for");
  const Shortfall& first = shortfalls[0];
  const std::string asked = amount_text(first.resource, first.asked);
  const bool is_missing = first.most == 0 && api::is_gpu_resource(first.resource);
  Cause cause;
  if (is_missing) {
    const size_t slash = first.resource.find('/');
    const bool is_slice = contains(first.resource, "/mig-");
    cause = no_such_gpus(CauseCode::too_large, is_slice ? first.resource.substr(slash + 1) : first.resource,
                         asked, choice.rooms, selector, command_to_simulate(spec, pods));
  } else {
    cause = make_cause(
        CauseCode::too_large, fmt::format("no node has {}", asked),
        fmt::format("no current node{} is large enough: a pod asks for {}, {}", selector, asked,
                    first.most == 0 ? "and no node has any"
                                    : "the largest node has " + amount_text(first.resource, first.most)));
    const int64_t each = most_for_each(choice.rooms, first.resource, first.most, pods);
    if (first.most > 0 && each == 0)
      cause.remedies = {{"request fewer pods, and less per pod", "kml submit --nodes N …"}};
    else
      cause.remedies = {{"request less per pod", command_for_less(first.resource, each)}};
    if (is_probably_in_thousandths(first)) {
      const int64_t typed = first.asked / 1000;
      cause.remedies.insert(cause.remedies.begin(),
                            Remedy{fmt::format("for {} thousandths of a CPU, write {}m", typed, typed),
                                   fmt::format("kml submit --cpu {}m …", typed)});
    }
  }
  cause.shortfalls = shortfalls;
  cause.priority = "priority cannot help: no node is large enough";
  return cause;
}

Cause tainted(const Choice& choice, const Json& spec) {
  // The nearest node is the one with the fewest taints.
  const Room* nearest = choice.rooms[0];
  for (const Room* room : choice.rooms)
    if (untolerated_taints(*room->node, spec).size() < untolerated_taints(*nearest->node, spec).size())
      nearest = room;
  const auto taints = untolerated_taints(*nearest->node, spec);
  std::vector<std::string> texts, flags;
  for (const Json* taint : taints) {
    texts.push_back(api::taint_text(*taint));
    flags.push_back("--toleration " + texts.back());
  }
  Cause cause =
      make_cause(CauseCode::taint, "taint " + join(texts, ", "),
                 fmt::format("{} would fit, but {} reserved by the taint {}", nodes_text(choice.rooms),
                             choice.rooms.size() == 1 ? "is" : "are", join(texts, ", ")));
  cause.priority = "priority cannot help: the job must tolerate the taint";
  cause.remedies = {{"submit it again with the toleration, if you are allowed to use these nodes",
                     fmt::format("kml submit {} …", join(flags, " "))},
                    {fmt::format("or ask an administrator to remove {} from node {}",
                                 (texts.size() == 1 ? "the taint " : "the taints ") + join(texts, ", "),
                                 api::name_of(*nearest->node)),
                     ""}};
  return cause;
}

Cause cordoned(const Choice& choice) {
  Cause cause = make_cause(CauseCode::cordoned, names_of(choice.rooms) + " cordoned",
                           fmt::format("{} would fit, but {} cordoned", nodes_text(choice.rooms),
                                       choice.rooms.size() == 1 ? "is" : "are"));
  cause.remedies = {{"ask an administrator to uncordon node " + api::name_of(*choice.rooms[0]->node) +
                         ", once its maintenance is over",
                     ""}};
  return cause;
}

Cause not_ready(const Choice& choice) {
  Cause cause = make_cause(CauseCode::nodes_not_ready, names_of(choice.rooms) + " not ready",
                           fmt::format("{} would fit, but {} not ready", nodes_text(choice.rooms),
                                       choice.rooms.size() == 1 ? "is" : "are"));
  cause.remedies = {{"see the state of the node", "kml list nodes"}};
  return cause;
}

}  // namespace

std::optional<Cause> closed_nodes_cause(const Facts& facts, const std::vector<const Json*>& specs,
                                        std::vector<Room> rooms) {
  const Json& spec = *specs[0];
  const Amounts requests = api::pod_requests(spec);
  const std::vector<Room> now = rooms;
  Choice cordoned_ones{Obstacle::cordoned, {}}, unready{Obstacle::not_ready, {}};
  std::vector<Json> nodes;
  nodes.reserve(rooms.size());  // the rooms keep pointers to these nodes
  for (size_t i = 0; i < rooms.size(); ++i) {
    Json& open = nodes.emplace_back(opened_node(*rooms[i].node));
    if (!refusal_of_node(open, spec).empty() || !api::fits(requests, rooms[i].total)) continue;
    if (api::is_cordoned_for(*rooms[i].node, spec))
      cordoned_ones.rooms.push_back(&now[i]);
    else if (!is_ready(*rooms[i].node))
      unready.rooms.push_back(&now[i]);
    rooms[i].node = &open;
  }
  const bool helps = most_beside_own(facts, specs, rooms) == specs.size();
  if (!helps || (cordoned_ones.rooms.empty() && unready.rooms.empty())) return {};
  Cause cause = cordoned_ones.rooms.empty() ? not_ready(unready) : cordoned(cordoned_ones);
  cause.summary = fmt::format("{} of its pods {} more nodes: {}", specs.size(),
                              specs.size() == 1 ? "needs" : "need", cause.summary);
  return cause;
}

std::optional<Cause> nodes_cause(const Facts& facts, const std::vector<const Json*>& pod_specs,
                                 std::vector<Room> rooms) {
  const std::vector<const Json*> left = place(pod_specs, rooms);
  if (left.empty()) return {};
  std::vector<const Json*> placed = pod_specs;  // the loop below removes the pods in `left`
  for (const Json* one : left) placed.erase(std::find(placed.begin(), placed.end(), one));
  const Json& spec = *left[0];
  const Amounts requests = api::pod_requests(spec);
  const Choice choice = choose(rooms, spec, requests);
  const size_t together = starts_pod_by_pod(facts) ? 1 : left.size();
  switch (choice.obstacle) {
    case Obstacle::no_nodes: return make_cause(CauseCode::no_nodes, "no nodes", "the cluster has no nodes");
    case Obstacle::labels: return no_labels(choice, spec, requests, together);
    case Obstacle::too_large: return too_large(choice, spec, requests, together);
    case Obstacle::taint: return tainted(choice, spec);
    case Obstacle::cordoned: return cordoned(choice);
    case Obstacle::not_ready: return not_ready(choice);
    default: return held_cause(facts, choice, left, std::move(placed), rooms, requests);
  }
}

}  // namespace kml::job
