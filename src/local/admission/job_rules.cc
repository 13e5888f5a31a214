#include <fmt/format.h>

#include "kml/api/labels.h"
#include "kml/api/selector.h"
#include "local/admission/kind_rules.h"
#include "local/admission/metadata_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

namespace {

constexpr int64_t kMaxInt32 = 2147483647;

bool is_indexed(const Json& spec) {
  return string_at(spec, {"completionMode"}) == "Indexed";
}

/// How the job's pods are found: labels that hold its uid (registry/batch/job/strategy.go, generateSelector).
void set_selector(Json& job) {
  Json& spec = job["spec"];
  if (bool_at(spec, {"manualSelector"})) return;
  const std::string uid = string_at(job, {"metadata", "uid"}), name = string_at(job, {"metadata", "name"});
  Json& labels = spec["template"]["metadata"]["labels"];
  if (labels.is_null()) labels = Json::object();
  for (std::string_view key : {api::kControllerUid, api::kLegacyControllerUid})
    labels[std::string(key)] = uid;
  for (std::string_view key : {api::kJobName, api::kLegacyJobName}) labels[std::string(key)] = name;
  // A job without labels has its template's (pkg/apis/batch/v1/defaults.go).
  if (object_at(job, {"metadata", "labels"}).empty()) job["metadata"]["labels"] = labels;
  // A client that sent a selector of its own is told in validate().
  if (!spec.contains("selector")) spec["selector"]["matchLabels"] = {{api::kControllerUid, uid}};
}

void set_defaults(Json& job) {
  set_default(job, "spec", Json::object());
  Json& spec = job["spec"];
  const bool counts_all = !spec.contains("completions") && !spec.contains("parallelism");
  if (counts_all) spec["completions"] = 1;
  set_default(spec, "parallelism", 1);
  set_default(spec, "backoffLimit", spec.contains("backoffLimitPerIndex") ? kMaxInt32 : 6);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
  set_default(spec, "manualSelector", false);
  set_default(spec, "podReplacementPolicy",
              spec.contains("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  set_default(spec, "template", Json::object());
  set_default(spec["template"], "spec", Json::object());
  default_pod_spec(spec["template"]["spec"]);
  set_selector(job);
}

void validate_failure_rule(const Json& rule, const std::string& path, bool per_index, FieldErrors& errors) {
  const std::string action = string_at(rule, {"action"});
  if (action != "FailJob" && action != "Ignore" && action != "Count" && !(action == "FailIndex" && per_index))
    errors.not_supported(path + ".action", action, "\"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"");
  const bool has_codes = rule.contains("onExitCodes"),
             has_conditions = !array_at(rule, {"onPodConditions"}).empty();
  if (has_codes == has_conditions)
    errors.invalid(path, action, "specifying one of OnExitCodes and OnPodConditions is required");
  if (!has_codes) return;
  const Json& codes = rule["onExitCodes"];
  const std::string op = string_at(codes, {"operator"});
  if (op != "In" && op != "NotIn")
    errors.not_supported(path + ".onExitCodes.operator", op, "\"In\", \"NotIn\"");
  if (array_at(codes, {"values"}).empty())
    errors.invalid(path + ".onExitCodes.values", Json::array(), "at least one value is required");
  const Json& values = array_at(codes, {"values"});
  for (size_t i = 0; i < values.size(); ++i)
    if (op == "In" && values[i] == 0)
      errors.invalid(fmt::format("{}.onExitCodes.values[{}]", path, i), values[i],
                     "must not be 0 for the In operator");
}

void validate_failure_policy(const Json& spec, FieldErrors& errors) {
  if (!spec.contains("podFailurePolicy")) return;
  if (string_at(spec, {"template", "spec", "restartPolicy"}) != "Never")
    errors.invalid("spec.template.spec.restartPolicy", string_at(spec, {"template", "spec", "restartPolicy"}),
                   "only \"Never\" is supported when podFailurePolicy is specified");
  if (string_at(spec, {"podReplacementPolicy"}) != "Failed")
    errors.not_supported("spec.podReplacementPolicy", string_at(spec, {"podReplacementPolicy"}),
                         "\"Failed\"");
  const Json& rules = array_at(spec, {"podFailurePolicy", "rules"});
  for (size_t i = 0; i < rules.size(); ++i)
    validate_failure_rule(rules[i], fmt::format("spec.podFailurePolicy.rules[{}]", i),
                          spec.contains("backoffLimitPerIndex"), errors);
}

void validate_completions(const Json& spec, FieldErrors& errors) {
  const std::string mode = string_at(spec, {"completionMode"});
  if (mode != "Indexed" && mode != "NonIndexed")
    errors.not_supported("spec.completionMode", mode, "\"Indexed\", \"NonIndexed\"");
  if (is_indexed(spec) && !spec.contains("completions"))
    errors.required("spec.completions", "when completion mode is Indexed");
  constexpr int64_t kMostIndexedAtOnce = 100'000;
  if (is_indexed(spec) && int_at(spec, {"parallelism"}) > kMostIndexedAtOnce)
    errors.invalid("spec.parallelism", int_at(spec, {"parallelism"}),
                   "must be less than or equal to 100000 when completion mode is Indexed");
  if (spec.contains("backoffLimitPerIndex") && !is_indexed(spec))
    errors.invalid("spec.backoffLimitPerIndex", spec["backoffLimitPerIndex"],
                   "requires indexed completion mode");
  if (spec.contains("maxFailedIndexes") && !is_indexed(spec))
    errors.invalid("spec.maxFailedIndexes", spec["maxFailedIndexes"], "requires indexed completion mode");
  if (spec.contains("maxFailedIndexes") && !spec.contains("backoffLimitPerIndex"))
    errors.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

void validate(const Json& job, FieldErrors& errors) {
  const Json& spec = object_at(job, {"spec"});
  for (const char* field : {"parallelism", "completions", "backoffLimit", "backoffLimitPerIndex",
                            "maxFailedIndexes", "activeDeadlineSeconds", "ttlSecondsAfterFinished"})
    require_not_negative(spec, field, "spec", errors);
  validate_completions(spec, errors);
  if (!bool_at(spec, {"manualSelector"}) &&
      string_at(spec, {"selector", "matchLabels", api::kControllerUid}) !=
          string_at(job, {"metadata", "uid"}))
    errors.invalid("spec.selector", object_at(spec, {"selector"}), "`selector` not auto-generated");
  const Json& labels = object_at(spec, {"template", "metadata", "labels"});
  if (spec.contains("selector") && !api::LabelSelector::from_json(spec["selector"]).matches(labels))
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (bool_at(spec, {"manualSelector"}) && object_at(spec, {"selector"}).empty())
    errors.required("spec.selector");
  validate_labels(object_at(spec, {"template", "metadata"}), "spec.template", errors);
  const std::string restart = string_at(spec, {"template", "spec", "restartPolicy"});
  if (restart == "Always")
    errors.required("spec.template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\"");
  else if (restart != "OnFailure" && restart != "Never")
    errors.not_supported("spec.template.spec.restartPolicy", restart, "\"OnFailure\", \"Never\"");
  validate_failure_policy(spec, errors);
  validate_pod_spec(object_at(spec, {"template", "spec"}), "spec.template.spec", errors);
}

/// While a job is suspended and has not run, where its pods go may be changed (Kueue does).
Json without_placement(Json pod_template) {
  for (const char* field : {"nodeSelector", "tolerations", "affinity", "schedulingGates"})
    pod_template["spec"].erase(field);
  for (const char* field : {"labels", "annotations"}) pod_template["metadata"].erase(field);
  return pod_template;
}

void validate_change(const Json& next_job, const Json& current_job, FieldErrors& errors) {
  const Json &next = object_at(next_job, {"spec"}), &current = object_at(current_job, {"spec"});
  for (const char* field : {"selector", "completionMode", "podFailurePolicy", "successPolicy",
                            "backoffLimitPerIndex", "managedBy"})
    require_same(next, current, field, "spec", errors);
  // An indexed job may grow or shrink as a whole.
  const bool elastic =
      is_indexed(next) && next.contains("completions") && next["completions"] == next["parallelism"];
  if (!elastic) require_same(next, current, "completions", "spec", errors);
  const bool not_started = bool_at(current, {"suspend"}) && !kml::find(current_job, {"status", "startTime"});
  const Json &next_template = object_at(next, {"template"}),
             &current_template = object_at(current, {"template"});
  if (not_started ? without_placement(next_template) != without_placement(current_template)
                  : next_template != current_template)
    errors.immutable("spec.template", next_template);
}

}  // namespace

const KindRules kJobRules{set_defaults, validate, validate_change};

}  // namespace kml::local
