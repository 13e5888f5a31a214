#include "local/quota/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/api/pod_requests.h"
#include "kml/core/text.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr int64_t kOne = 1000;

bool is_compute(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

/// Requests and limits under a quota's names.
void add_compute(Amounts& usage, const Amounts& requests, const Amounts& limits) {
  for (const auto& [name, amount] : requests) {
    if (is_compute(name)) usage[name] = amount;
    if (is_compute(name) || is_extended_resource(name)) usage["requests." + name] = amount;
  }
  for (const auto& [name, amount] : limits)
    if (is_compute(name)) usage["limits." + name] = amount;
}

bool matches_class(const std::string& priority_class, const std::string& op, const Json& values) {
  if (op == "Exists") return !priority_class.empty();
  if (op == "DoesNotExist") return priority_class.empty();
  const bool is_listed = std::find(values.begin(), values.end(), Json(priority_class)) != values.end();
  return op == "In" ? is_listed : !is_listed;
}

bool matches_scope(const std::string& scope, const std::string& op, const Json& values, const Json& pod) {
  const bool is_best_effort = string_at(pod, {"status", "qosClass"}) == "BestEffort",
             is_terminating = find(pod, {"spec", "activeDeadlineSeconds"}) != nullptr;
  if (scope == "Terminating") return is_terminating;
  if (scope == "NotTerminating") return !is_terminating;
  if (scope == "BestEffort") return is_best_effort;
  if (scope == "NotBestEffort") return !is_best_effort;
  if (scope == "PriorityClass")
    return matches_class(string_at(pod, {"spec", "priorityClassName"}), op, values);
  return false;
}

}  // namespace

Amounts usage_of(const api::ResourceKind& kind, const Json& object) {
  const std::string plural(kind.plural);
  Amounts usage{{"count/" + plural + (kind.group.empty() ? "" : ".") + std::string(kind.group), kOne}};
  if (kind.kind == "Pod") {
    if (pod_has_ended(object)) return usage;
    usage["pods"] = kOne;
    const Json& spec = api::spec_of(object);
    add_compute(usage, api::pod_requests(spec), api::pod_limits(spec));
  } else if (kind.group.empty()) {
    usage[plural] = kOne;
    if (kind.kind == "PersistentVolumeClaim")
      usage["requests.storage"] =
          api::amounts_of(object_at(object, {"spec", "resources", "requests"}))["storage"];
  }
  return usage;
}

bool is_in_scope(const Json& quota, const api::ResourceKind& kind, const Json& object) {
  const Json &scopes = array_at(quota, {"spec", "scopes"}),
             &selectors = array_at(quota, {"spec", "scopeSelector", "matchExpressions"});
  if (kind.kind != "Pod") return scopes.empty() && selectors.empty();
  return std::all_of(scopes.begin(), scopes.end(),
                     [&](const Json& scope) {
                       return matches_scope(scope.get<std::string>(), "Exists", Json::array(), object);
                     }) &&
         std::all_of(selectors.begin(), selectors.end(), [&](const Json& selector) {
           return matches_scope(string_at(selector, {"scopeName"}), string_at(selector, {"operator"}),
                                array_at(selector, {"values"}), object);
         });
}

std::string missing_requests(const Amounts& hard, const Json& pod) {
  std::map<std::string, std::set<std::string>> missing;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& container : array_at(pod, {"spec", list})) {
      Amounts given;
      add_compute(given, api::amounts_of(object_at(container, {"resources", "requests"})),
                  api::amounts_of(object_at(container, {"resources", "limits"})));
      for (const char* name :
           {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"})
        if (hard.contains(name) && !given.contains(name))
          missing[name].insert(string_at(container, {"name"}));
    }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing)
    parts.push_back(name + " for: " + join(std::vector(containers.begin(), containers.end()), ","));
  return parts.empty() ? "" : "must specify " + join(parts, "; ");
}

std::string amount_text(const std::string& name, int64_t thousandths) {
  if (thousandths % kOne != 0) return fmt::format("{}m", thousandths);
  int64_t amount = thousandths / kOne;
  const bool is_bytes = name.ends_with("memory") || name.ends_with("storage");
  const int64_t step = is_bytes && amount % 1024 == 0 ? 1024 : 1000;
  size_t steps = 0;
  for (; amount != 0 && amount % step == 0; ++steps) amount /= step;
  const std::string_view suffixes = step == 1024 ? " KMGTPE" : " kMGTPE";
  return steps == 0 ? std::to_string(amount)
                    : fmt::format("{}{}{}", amount, suffixes[steps], step == 1024 ? "i" : "");
}

}  // namespace kml::local
