#include "local/controllers/failure_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kml/api/labels.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// The name and exit code of a container whose end the requirement matches.
std::optional<std::pair<std::string, long long>> matching_container(const Json& requirement,
                                                                    const Json& pod) {
  const Json& values = array_at(requirement, {"values"});
  const std::string only = string_at(requirement, {"containerName"});
  const bool wanted = string_at(requirement, {"operator"}) == "In";
  for (const char* group : {"containerStatuses", "initContainerStatuses"})
    for (const Json& status : array_at(pod, {"status", group})) {
      const Json* terminated = find(status, {"state", "terminated"});
      const std::string name = string_at(status, {"name"});
      if (!terminated || (!only.empty() && only != name)) continue;
      const long long code = int_at(*terminated, {"exitCode"});
      const bool listed = std::find(values.begin(), values.end(), Json(code)) != values.end();
      if (code != 0 && listed == wanted) return std::pair(name, code);
    }
  return {};
}

const Json* matching_condition(const Json& patterns, const Json& pod) {
  for (const Json& pattern : patterns)
    for (const Json& condition : array_at(pod, {"status", "conditions"}))
      if (condition["type"] == pattern["type"] &&
          string_at(condition, {"status"}) == string_at(pattern, {"status"}, "True"))
        return &condition;
  return nullptr;
}

FailureVerdict verdict(const std::string& action, std::string message) {
  if (action == "Ignore") return {FailureVerdict::ignore, {}};
  if (action == "FailIndex") return {FailureVerdict::fail_index, {}};
  if (action == "FailJob") return {FailureVerdict::fail_job, std::move(message)};
  return {};
}

}  // namespace

FailureVerdict judge_failure(const Json& job, const Json& pod) {
  // Of a cancelled job no failure is ignored: that would make another pod, which nobody would cancel.
  if (!annotation_of(job, api::kCancelled).empty()) return {};
  const Json& rules = array_at(job, {"spec", "podFailurePolicy", "rules"});
  const std::string who = fmt::format("{}/{}", namespace_of(pod), name_of(pod));
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string action = string_at(rules[i], {"action"});
    if (const Json* requirement = find(rules[i], {"onExitCodes"})) {
      if (auto match = matching_container(*requirement, pod))
        return verdict(
            action,
            fmt::format("Container {} for pod {} failed with exit code {} matching {} rule at index {}",
                        match->first, who, match->second, action, i));
    } else if (const Json* condition = matching_condition(array_at(rules[i], {"onPodConditions"}), pod)) {
      return verdict(action, fmt::format("Pod {} has condition {} matching {} rule at index {}", who,
                                         string_at(*condition, {"type"}), action, i));
    }
  }
  if (api::condition(pod, "DisruptionTarget").reason() == "PreemptionByScheduler")
    return {FailureVerdict::ignore, {}};
  return {};
}

}  // namespace kml::local
