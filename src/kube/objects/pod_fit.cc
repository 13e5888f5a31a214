#include "kml/kube/objects/pod_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "kml/kube/objects/names.h"

namespace kml::api {

namespace {

/// Parses like Go's strconv.ParseInt.
std::optional<int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// A number in the only form that the scheduler accepts in taints and tolerations: "7", but not "+7" or "07".
std::optional<int64_t> plain_number(const std::string& text) {
  const auto number = whole_number(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

/// With Gt and Lt, the taint's number must be above or below the toleration's.
bool compares(const Json& toleration, const Json& taint) {
  const auto bound = plain_number(string_at(toleration, {"value"})),
             have = plain_number(string_at(taint, {"value"}));
  return have && bound && (string_at(toleration, {"operator"}) == "Gt" ? *have > *bound : *have < *bound);
}

bool matches(const Json& toleration, const Json& taint) {
  const std::string effect = string_at(toleration, {"effect"}), key = string_at(toleration, {"key"});
  if (!effect.empty() && effect != string_at(taint, {"effect"})) return false;
  if (!key.empty() && key != string_at(taint, {"key"})) return false;
  const std::string op = string_at(toleration, {"operator"});
  if (op == "Exists") return true;
  if (op == "Gt" || op == "Lt") return compares(toleration, taint);
  return (op.empty() || op == "Equal") && string_at(toleration, {"value"}) == string_at(taint, {"value"});
}

}  // namespace

bool tolerates(const Json& pod_spec, const Json& taint) {
  const Json& tolerations = array_at(pod_spec, {"tolerations"});
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Json& toleration) { return matches(toleration, taint); });
}

bool keeps_pods_off(const Json& taint) {
  const std::string effect = string_at(taint, {"effect"});
  return effect == "NoSchedule" || effect == "NoExecute";
}

std::string taint_text(const Json& taint) {
  const std::string value = string_at(taint, {"value"});
  return string_at(taint, {"key"}) + (value.empty() ? "" : "=" + value) + ":" + string_at(taint, {"effect"});
}

bool is_cordoned(const Json& node) {
  return bool_at(node, {"spec", "unschedulable"});
}

bool is_cordoned_for(const Json& node, const Json& pod_spec) {
  static const Json kCordon = {{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}};
  return is_cordoned(node) && !tolerates(pod_spec, kCordon);
}

namespace {

bool is_listed(const Json& values, std::string_view wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end();
}

/// Whether Kubernetes' labels.NewRequirement would accept this list of values.
bool are_values(const Json& values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](const Json& value) {
    return value.is_string() && label_value_problem(value.get_ref<const std::string&>()).empty();
  });
}

bool compares(const std::string& op, const Json* label, const Json& values) {
  if (!label || !label->is_string() || values.size() != 1 || !values[0].is_string()) return false;
  const auto have = whole_number(label->get_ref<const std::string&>()),
             bound = whole_number(values[0].get_ref<const std::string&>());
  return have && bound && (op == "Gt" ? *have > *bound : *have < *bound);
}

bool matches_label(const Json& requirement, const Json& labels) {
  const std::string op = string_at(requirement, {"operator"});
  const Json* label = find(labels, {string_at(requirement, {"key"})});
  const Json& values = array_at(requirement, {"values"});
  if (op == "Exists" || op == "DoesNotExist") return values.empty() && (label != nullptr) == (op == "Exists");
  if (op == "Gt" || op == "Lt") return compares(op, label, values);
  if ((op != "In" && op != "NotIn") || !are_values(values)) return false;
  return (label && std::find(values.begin(), values.end(), *label) != values.end()) == (op == "In");
}

/// A requirement can only select a single field of a node, its name.
bool matches_field(const Json& requirement, const std::string& node_name) {
  const std::string op = string_at(requirement, {"operator"});
  const Json& values = array_at(requirement, {"values"});
  if ((op != "In" && op != "NotIn") || values.size() != 1) return false;
  const bool is_name = string_at(requirement, {"key"}) == "metadata.name" && is_listed(values, node_name);
  return is_name == (op == "In");
}

bool matches_term(const Json& term, const Json& node) {
  const Json &expressions = array_at(term, {"matchExpressions"}), &fields = array_at(term, {"matchFields"});
  if (expressions.empty() && fields.empty()) return false;
  const Json& labels = object_at(node, {"metadata", "labels"});
  const std::string name = string_at(node, {"metadata", "name"});
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Json& requirement) { return matches_label(requirement, labels); }) &&
         std::all_of(fields.begin(), fields.end(),
                     [&](const Json& requirement) { return matches_field(requirement, name); });
}

}  // namespace

std::vector<std::string> missing_node_labels(const Json& node, const Json& pod_spec) {
  std::vector<std::string> missing;
  const Json& labels = object_at(node, {"metadata", "labels"});
  for (const auto& [key, value] : object_at(pod_spec, {"nodeSelector"}).items())
    if (const Json* label = find(labels, {key}); !label || *label != value)
      missing.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  return missing;
}

bool has_node_affinity(const Json& node, const Json& pod_spec) {
  const Json* required =
      find(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!required || required->is_null()) return true;
  const Json& terms = array_at(*required, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(), [&](const Json& term) { return matches_term(term, node); });
}

namespace {

bool is_short(const Amounts::value_type& needed, const Amounts& free) {
  const auto there = free.find(needed.first);
  return needed.second > 0 && needed.second > (there == free.end() ? 0 : there->second);
}

}  // namespace

std::string unsuitable_because(const Json& node, const Json& pod_spec) {
  if (is_cordoned_for(node, pod_spec)) return "node(s) were unschedulable";
  for (const Json& taint : array_at(node, {"spec", "taints"}))
    if (keeps_pods_off(taint) && !tolerates(pod_spec, taint))
      return fmt::format("node(s) had untolerated taint {{{}: {}}}", string_at(taint, {"key"}),
                         string_at(taint, {"value"}));
  const bool is_wanted = missing_node_labels(node, pod_spec).empty() && has_node_affinity(node, pod_spec);
  return is_wanted ? "" : "node(s) didn't match Pod's node affinity/selector";
}

bool fits(const Amounts& needed, const Amounts& free) {
  return std::none_of(needed.begin(), needed.end(), [&](const auto& entry) { return is_short(entry, free); });
}

std::vector<std::string> shortages(const Amounts& needed, const Amounts& free) {
  std::vector<std::string> names;
  for (const auto& entry : needed)
    if (is_short(entry, free))
      names.push_back(entry.first == "pods" ? "Too many pods" : "Insufficient " + entry.first);
  return names;
}

}  // namespace kml::api
