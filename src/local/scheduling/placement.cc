#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "kml/api/selector.h"
#include "local/scheduling/scheduler.h"

namespace kml::local {

namespace {

/// One requirement of a nodeSelectorTerm; Gt and Lt compare whole numbers, the others are those of labels.
bool matches(const Json& expression, const Json& labels) {
  const std::string op = string_at(expression, {"operator"});
  if (op != "Gt" && op != "Lt")
    return api::LabelSelector::from_json({{"matchExpressions", Json::array({expression})}}).matches(labels);
  const std::string value = string_at(labels, {string_at(expression, {"key"})});
  const Json& wanted = array_at(expression, {"values"});
  if (value.empty() || wanted.size() != 1 || !wanted[0].is_string()) return false;
  const long long have = std::atoll(value.c_str());
  const long long bound = std::atoll(wanted[0].get_ref<const std::string&>().c_str());
  return op == "Gt" ? have > bound : have < bound;
}

bool all_match(const Json& requirements, const Json& values) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Json& requirement) { return matches(requirement, values); });
}

/// All requirements of one of the terms hold. A node's name is its only field that may be asked for.
bool affinity_matches(const Json& required, const NodeInfo& node) {
  const Json& terms = array_at(required, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
    const Json &of_labels = array_at(term, {"matchExpressions"}), &of_name = array_at(term, {"matchFields"});
    return !(of_labels.empty() && of_name.empty()) && all_match(of_labels, node.labels) &&
           all_match(of_name, {{"metadata.name", node.name}});
  });
}

bool tolerates(const Json& toleration, const Json& taint) {
  const std::string key = string_at(toleration, {"key"}), effect = string_at(toleration, {"effect"});
  if (!effect.empty() && effect != string_at(taint, {"effect"})) return false;
  if (!key.empty() && key != string_at(taint, {"key"})) return false;
  return string_at(toleration, {"operator"}, "Equal") == "Exists" ||
         (!key.empty() && string_at(toleration, {"value"}) == string_at(taint, {"value"}));
}

}  // namespace

std::string placement_problem(const Json& placement, const NodeInfo& node) {
  const Json& selector = object_at(placement, {"nodeSelector"});
  const Json* required = find(placement, {"nodeAffinity"});
  const bool matched = api::LabelSelector::from_json({{"matchLabels", selector}}).matches(node.labels) &&
                       (!required || affinity_matches(*required, node));
  if (!matched) return "node(s) didn't match Pod's node affinity/selector";
  const Json& tolerations = array_at(placement, {"tolerations"});
  for (const Json& taint : node.taints) {
    const std::string effect = string_at(taint, {"effect"});
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    if (std::any_of(tolerations.begin(), tolerations.end(),
                    [&](const Json& toleration) { return tolerates(toleration, taint); }))
      continue;
    const std::string key = string_at(taint, {"key"});
    return key == "node.kubernetes.io/unschedulable"
               ? "node(s) were unschedulable"
               : fmt::format("node(s) had untolerated taint {{{}: {}}}", key, string_at(taint, {"value"}));
  }
  return {};
}

std::vector<std::string> shortages(const Resources& needed, const Resources& free) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : needed) {
    auto it = free.find(name);
    if (amount == 0 || (it != free.end() && it->second >= amount)) continue;
    names.push_back(name == "pods" ? "Too many pods" : "Insufficient " + name);
  }
  return names;
}

}  // namespace kml::local
