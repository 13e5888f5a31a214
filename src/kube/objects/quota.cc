#include "kml/kube/objects/quota.h"

#include <algorithm>
#include <string>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::api {

namespace {

bool is_counted_compute(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

/// Whether neither the pod nor one of its containers has cpu or memory. A server stores the class of the pod,
/// but lists may leave it out.
bool is_best_effort(const Json& pod) {
  if (const std::string known = string_at(pod, {"status", "qosClass"}); !known.empty())
    return known == "BestEffort";
  const auto has_any = [](const Json& owner) {
    for (const Json* amounts : {&requests_of(owner), &limits_of(owner)})
      for (const auto& [name, amount] : amounts_of(*amounts))
        if ((name == "cpu" || name == "memory") && amount > 0) return true;
    return false;
  };
  bool any = has_any(spec_of(pod));
  visit_containers(spec_of(pod), [&](const Json& container) { any = any || has_any(container); });
  return !any;
}

bool names_other_namespaces(const Json& affinity_term) {
  return !array_at(affinity_term, {"namespaces"}).empty() || find(affinity_term, {"namespaceSelector"});
}

bool has_affinity_across_namespaces(const Json& pod) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    const Json& rules = object_at(pod, {"spec", "affinity", kind});
    for (const Json& term : array_at(rules, {"requiredDuringSchedulingIgnoredDuringExecution"}))
      if (names_other_namespaces(term)) return true;
    for (const Json& term : array_at(rules, {"preferredDuringSchedulingIgnoredDuringExecution"}))
      if (names_other_namespaces(object_at(term, {"podAffinityTerm"}))) return true;
  }
  return false;
}

/// Without a class, a pod matches DoesNotExist and NotIn, like a missing label in a selector.
std::optional<bool> matches_class(const Json& pod, const std::string& op, const Json& values) {
  const std::string name = priority_class_in(spec_of(pod));
  const bool is_listed = std::find(values.begin(), values.end(), Json(name)) != values.end();
  if (op == "Exists") return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  if (op == "In") return is_listed;
  if (op == "NotIn") return !is_listed;
  return {};
}

std::optional<bool> matches_scope(const std::string& scope, const std::string& op, const Json& values,
                                  const Json& pod) {
  const bool is_terminating = find(pod, {"spec", "activeDeadlineSeconds"}) != nullptr;
  if (scope == "Terminating") return is_terminating;
  if (scope == "NotTerminating") return !is_terminating;
  if (scope == "BestEffort") return is_best_effort(pod);
  if (scope == "NotBestEffort") return !is_best_effort(pod);
  if (scope == "PriorityClass") return matches_class(pod, op, values);
  if (scope == "CrossNamespacePodAffinity") return has_affinity_across_namespaces(pod);
  if (scope == "VolumeAttributesClass") return false;  // a quota of volume claims
  return {};
}

/// Visits each scope, as a requirement with an operator and values, until `visit` returns true.
template <typename Visit>
bool any_scope(const Json& quota, Visit&& visit) {
  for (const Json& scope : array_at(quota, {"spec", "scopes"}))
    if (visit(scope.is_string() ? scope.get<std::string>() : "", "Exists", Json::array())) return true;
  for (const Json& one : array_at(quota, {"spec", "scopeSelector", "matchExpressions"}))
    if (visit(string_at(one, {"scopeName"}), operator_of(one), values_in(one))) return true;
  return false;
}

}  // namespace

void add_quota_compute(Amounts& usage, const Amounts& requests, const Amounts& limits) {
  for (const auto& [name, amount] : requests) {
    if (is_counted_compute(name)) usage[name] = amount;
    if (is_counted_compute(name) || is_extended_resource(name)) usage["requests." + name] = amount;
  }
  for (const auto& [name, amount] : limits)
    if (is_counted_compute(name)) usage["limits." + name] = amount;
}

Amounts quota_usage_of_pod(const Json& pod) {
  Amounts usage{{"count/pods", kMilli}};
  if (pod_has_ended(pod)) return usage;
  usage["pods"] = kMilli;
  add_quota_compute(usage, pod_requests(spec_of(pod)), pod_limits(spec_of(pod)));
  return usage;
}

std::optional<bool> quota_counts(const Json& quota, const Json& pod) {
  bool any_unknown = false;
  const bool is_excluded =
      any_scope(quota, [&](const std::string& scope, const std::string& op, const Json& values) {
        const std::optional<bool> matches = matches_scope(scope, op, values, pod);
        any_unknown = any_unknown || !matches;
        return matches == false;
      });
  if (is_excluded) return false;
  return any_unknown ? std::nullopt : std::optional(true);
}

bool has_quota_scope(const Json& quota, std::string_view wanted) {
  return any_scope(
      quota, [&](const std::string& scope, const std::string&, const Json&) { return scope == wanted; });
}

}  // namespace kml::api
