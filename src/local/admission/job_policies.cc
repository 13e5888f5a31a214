#include "local/admission/job_policies.h"

#include <fmt/format.h>

#include <set>

namespace kml::local {

// k8s.io/kubernetes/pkg/apis/batch/validation/validation.go

namespace {

void validate_action(const Json& rule, const std::string& path, bool per_index, FieldErrors& errors) {
  const std::string action = string_at(rule, {"action"});
  constexpr const char* kActions = "\"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"";
  if (action.empty())
    errors.required(path, fmt::format("valid values: [{}]", kActions));
  else if (action == "FailIndex" && !per_index)
    errors.invalid(path, action, "requires the backoffLimitPerIndex to be set");
  else if (action != "FailJob" && action != "Ignore" && action != "Count" && action != "FailIndex")
    errors.not_supported(path, action, kActions);
}

void validate_exit_codes(const Json& codes, const std::string& path, FieldErrors& errors) {
  const std::string op = string_at(codes, {"operator"});
  if (op.empty())
    errors.required(path + ".operator", "valid values: [\"In\" \"NotIn\"]");
  else if (op != "In" && op != "NotIn")
    errors.not_supported(path + ".operator", op, "\"In\", \"NotIn\"");
  const Json& values = array_at(codes, {"values"});
  if (values.empty()) errors.invalid(path + ".values", Json::array(), "at least one value is required");
  std::set<int64_t> seen;
  bool ordered = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string field = fmt::format("{}.values[{}]", path, i);
    if (op == "In" && values[i] == 0) errors.invalid(field, values[i], "must not be 0 for the In operator");
    if (!seen.insert(values[i].get<int64_t>()).second) errors.duplicate(field, values[i]);
    ordered &= i == 0 || values[i - 1] <= values[i];
  }
  if (!ordered) errors.invalid(path + ".values", values, "must be ordered");
}

void validate_rule(const Json& rule, const std::string& path, bool per_index, FieldErrors& errors) {
  validate_action(rule, path + ".action", per_index, errors);
  const bool has_codes = rule.contains("onExitCodes"),
             has_conditions = !array_at(rule, {"onPodConditions"}).empty();
  if (has_codes) validate_exit_codes(rule["onExitCodes"], path + ".onExitCodes", errors);
  if (has_codes && has_conditions)
    errors.invalid(path, nullptr, "specifying both OnExitCodes and OnPodConditions is not supported");
  if (!has_codes && !has_conditions)
    errors.invalid(path, nullptr, "specifying one of OnExitCodes and OnPodConditions is required");
}

}  // namespace

void validate_failure_policy(const Json& spec, FieldErrors& errors) {
  const bool has_policy = spec.contains("podFailurePolicy");
  const std::string replacement = string_at(spec, {"podReplacementPolicy"});
  if (replacement != "Failed" && (has_policy || replacement != "TerminatingOrFailed"))
    errors.not_supported("spec.podReplacementPolicy", replacement,
                         has_policy ? "\"Failed\"" : "\"Failed\", \"TerminatingOrFailed\"");
  const Json& rules = array_at(spec, {"podFailurePolicy", "rules"});
  for (size_t i = 0; i < rules.size(); ++i)
    validate_rule(rules[i], fmt::format("spec.podFailurePolicy.rules[{}]", i),
                  spec.contains("backoffLimitPerIndex"), errors);
}

}  // namespace kml::local
