#include "jobs/preflight/node_rules.h"

#include <algorithm>

#include "kml/api/selector.h"

namespace kml::jobs {

namespace {

/// As v1.Toleration.ToleratesTaint does.
bool tolerates(const Json& toleration, const Json& taint) {
  const std::string effect = string_at(toleration, {"effect"}), key = string_at(toleration, {"key"});
  if (!effect.empty() && effect != string_at(taint, {"effect"})) return false;
  if (!key.empty() && key != string_at(taint, {"key"})) return false;
  if (string_at(toleration, {"operator"}, "Equal") == "Exists") return true;
  return !key.empty() && string_at(toleration, {"value"}) == string_at(taint, {"value"});
}

/// One of the terms has to hold; Gt and Lt, which nothing uses for GPUs, are taken to hold.
bool has_affinity(const Json& node, const Json& pod_spec) {
  const Json& labels = object_at(node, {"metadata", "labels"});
  const Json name = {{"metadata.name", string_at(node, {"metadata", "name"})}};
  const Json& terms = array_at(
      pod_spec,
      {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
           Json expressions = Json::array();
           for (const Json& expression : array_at(term, {"matchExpressions"}))
             if (const std::string op = string_at(expression, {"operator"}); op != "Gt" && op != "Lt")
               expressions.push_back(expression);
           const Json names = {{"matchExpressions", array_at(term, {"matchFields"})}};
           return api::LabelSelector::from_json({{"matchExpressions", expressions}}).matches(labels) &&
                  api::LabelSelector::from_json(names).matches(name);
         });
}

constexpr std::string_view kStateOfNode = "node.kubernetes.io/";

}  // namespace

std::vector<std::string> missing_labels(const Json& node, const Json& pod_spec) {
  std::vector<std::string> missing;
  const Json& labels = object_at(node, {"metadata", "labels"});
  for (const auto& [key, value] : object_at(pod_spec, {"nodeSelector"}).items())
    if (!value.is_string() || string_at(labels, {key}) != value.get_ref<const std::string&>())
      missing.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  if (!has_affinity(node, pod_spec)) missing.emplace_back("the labels of its node affinity");
  return missing;
}

std::vector<const Json*> untolerated_taints(const Json& node, const Json& pod_spec) {
  std::vector<const Json*> taints;
  const Json& tolerations = array_at(pod_spec, {"tolerations"});
  for (const Json& taint : array_at(node, {"spec", "taints"}))
    if (string_at(taint, {"effect"}) != "PreferNoSchedule" &&
        !string_at(taint, {"key"}).starts_with(kStateOfNode) &&
        std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const Json& toleration) { return tolerates(toleration, taint); }))
      taints.push_back(&taint);
  return taints;
}

std::string taint_text(const Json& taint) {
  const std::string value = string_at(taint, {"value"});
  return string_at(taint, {"key"}) + (value.empty() ? "" : "=" + value) + ":" + string_at(taint, {"effect"});
}

bool is_cordoned(const Json& node) {
  return bool_at(node, {"spec", "unschedulable"});
}

bool is_ready(const Json& node) {
  for (const Json& condition : array_at(node, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == "Ready" && string_at(condition, {"status"}) != "True") return false;
  const Json& taints = array_at(node, {"spec", "taints"});
  return std::none_of(taints.begin(), taints.end(), [](const Json& taint) {
    const std::string key = string_at(taint, {"key"});
    return key.starts_with(kStateOfNode) && key != "node.kubernetes.io/unschedulable" &&
           string_at(taint, {"effect"}) != "PreferNoSchedule";
  });
}

std::string refusal_of_node(const Json& node, const Json& pod_spec) {
  if (const auto missing = missing_labels(node, pod_spec); !missing.empty())
    return missing[0].starts_with("the ") ? "has not " + missing[0] : "has no label " + missing[0];
  if (is_cordoned(node)) return "is cordoned";
  if (const auto taints = untolerated_taints(node, pod_spec); !taints.empty())
    return "has taint " + string_at(*taints[0], {"key"});
  return is_ready(node) ? "" : "is not ready";
}

}  // namespace kml::jobs
