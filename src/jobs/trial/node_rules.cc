#include "jobs/trial/node_rules.h"

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

std::string untolerated_taint(const Json& node, const Json& pod_spec) {
  const Json& tolerations = array_at(pod_spec, {"tolerations"});
  for (const Json& taint : array_at(node, {"spec", "taints"}))
    if (string_at(taint, {"effect"}) != "PreferNoSchedule" &&
        std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const Json& toleration) { return tolerates(toleration, taint); }))
      return string_at(taint, {"key"});
  return {};
}

/// One of the terms has to hold; Gt and Lt, which nothing uses for GPUs, are taken to hold.
bool has_affinity(const Json& labels, const Json& pod_spec) {
  const Json& terms = array_at(
      pod_spec,
      {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
           Json expressions = Json::array();
           for (const Json& expression : array_at(term, {"matchExpressions"}))
             if (const std::string op = string_at(expression, {"operator"}); op != "Gt" && op != "Lt")
               expressions.push_back(expression);
           return api::LabelSelector::from_json({{"matchExpressions", expressions}}).matches(labels);
         });
}

}  // namespace

std::string refusal_of_node(const Json& node, const Json& pod_spec) {
  const Json& labels = object_at(node, {"metadata", "labels"});
  for (const auto& [key, value] : object_at(pod_spec, {"nodeSelector"}).items())
    if (!value.is_string() || string_at(labels, {key}) != value.get_ref<const std::string&>())
      return "has no label " + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  if (!has_affinity(labels, pod_spec)) return "has not the labels of the node affinity";
  if (bool_at(node, {"spec", "unschedulable"})) return "is cordoned";
  if (const std::string taint = untolerated_taint(node, pod_spec); !taint.empty())
    return "has taint " + taint;
  for (const Json& condition : array_at(node, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == "Ready" && string_at(condition, {"status"}) != "True")
      return "is not ready";
  return {};
}

}  // namespace kml::jobs
