#include <fmt/format.h>

#include <set>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/selector.h"
#include "local/admission/job_rules.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"
#include "local/api/api_error.h"

namespace kml::local {

namespace {

// k8s.io/kubernetes/pkg/apis/batch/validation/validation.go

void validate_action(const Json& rule, const std::string& path, bool per_index, FieldErrors& errors) {
  const std::string action = api::action_of(rule);
  if (action.empty())
    errors.required(path, R"(valid values: ["Count", "FailIndex", "FailJob", "Ignore"])");
  else if (action == "FailIndex" && !per_index)
    errors.invalid(path, action, "requires the backoffLimitPerIndex to be set");
  else
    errors.require_one_of(path, action, {"Count", "FailIndex", "FailJob", "Ignore"});
}

void validate_exit_codes(const Json& codes, const std::string& path, FieldErrors& errors) {
  const std::string op = api::operator_of(codes);
  if (op.empty())
    errors.required(path + ".operator", "valid values: [\"In\" \"NotIn\"]");
  else
    errors.require_one_of(path + ".operator", op, {"In", "NotIn"});
  const Json& values = api::values_in(codes);
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

/// Checks a Job's podFailurePolicy and podReplacementPolicy. `spec` is the Job's spec with its defaults.
void validate_failure_policy(const Json& spec, FieldErrors& errors) {
  const bool has_policy = spec.contains("podFailurePolicy");
  const std::string replacement = string_at(spec, {"podReplacementPolicy"});
  if (has_policy)
    errors.require_one_of("spec.podReplacementPolicy", replacement, {"Failed"});
  else
    errors.require_one_of("spec.podReplacementPolicy", replacement, {"Failed", "TerminatingOrFailed"});
  const Json& rules = api::failure_rules_in(spec);
  for (size_t i = 0; i < rules.size(); ++i)
    validate_rule(rules[i], fmt::format("spec.podFailurePolicy.rules[{}]", i),
                  spec.contains("backoffLimitPerIndex"), errors);
}

}  // namespace

void set_job_defaults(Json& job) {
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
  Json& pod_template = spec["template"];
  set_default(pod_template, "spec", Json::object());
  default_pod_spec(pod_template["spec"]);
}

namespace {

/// If a job has no labels, it gets those of its pod template (pkg/apis/batch/v1/defaults.go).
void take_labels(Json& job) {
  const Json& labels = api::labels_of(api::pod_template_of(job));
  if (api::labels_of(job).empty() && !labels.empty()) job["metadata"]["labels"] = labels;
}

bool has_manual_selector(const Json& job) {
  return bool_at(job, {"spec", "manualSelector"});
}

/// Generates the job's selector from labels that contain its uid (registry/batch/job/strategy.go,
/// generateSelector). If the client has set these labels, they are kept, and the checks reject them.
void set_selector(Json& job) {
  if (has_manual_selector(job)) return;
  Json& spec = job["spec"];
  const std::string uid = api::uid_of(job), name = api::name_of(job);
  Json& labels = spec["template"]["metadata"]["labels"];
  const bool had_labels = !labels.empty();
  for (const char* key : {api::kControllerUid.data(), api::kLegacyControllerUid.data()})
    set_default(labels, key, uid);
  for (const char* key : {api::kJobName.data(), api::kLegacyJobName.data()}) set_default(labels, key, name);
  set_default(spec["selector"]["matchLabels"], api::kControllerUid.data(), uid);
  if (had_labels) take_labels(job);
}

void validate_completions(const Json& job, FieldErrors& errors) {
  const Json& spec = api::spec_of(job);
  const bool is_indexed = api::is_indexed(job);
  errors.require_one_of("spec.completionMode", spec.value("completionMode", Json()),
                        {"Indexed", "NonIndexed"});
  if (is_indexed && !spec.contains("completions"))
    errors.required("spec.completions", "when completion mode is Indexed");
  constexpr int64_t kMostIndexedAtOnce = 100'000;
  if (const int64_t parallelism = api::parallelism_of(job); is_indexed && parallelism > kMostIndexedAtOnce)
    errors.invalid("spec.parallelism", parallelism,
                   "must be less than or equal to 100000 when completion mode is Indexed");
  for (const char* field : {"backoffLimitPerIndex", "maxFailedIndexes"})
    if (spec.contains(field) && !is_indexed)
      errors.invalid(std::string("spec.") + field, spec[field], "requires indexed completion mode");
  if (spec.contains("maxFailedIndexes") && !spec.contains("backoffLimitPerIndex"))
    errors.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

/// The host name of a pod in an indexed job consists of the job's name and the index.
void validate_host_names(const Json& job, FieldErrors& errors) {
  const int64_t completions = api::completions_of(job);
  if (!api::is_indexed(job) || completions <= 0) return;
  const std::string name = api::name_of(job), longest = fmt::format("{}-{}", name, completions - 1);
  if (!api::dns_label_problem(longest).empty())
    errors.invalid("metadata.name", name, "will not able to create pod with invalid DNS label: " + longest);
}

/// Without manualSelector, the selector must be the generated one, and it must match the job's pods.
void validate_selector(const Json& job, FieldErrors& errors) {
  const Json &labels = api::labels_of(api::pod_template_of(job)),
             &selector = object_at(job, {"spec", "selector"});
  if (selector.empty()) errors.required("spec.selector");
  if (selector.empty() || !api::LabelSelector::from_json(selector).matches(labels))
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (has_manual_selector(job) || selector.empty()) return;
  const std::string uid = api::uid_of(job), name = api::name_of(job);
  const std::pair<std::string_view, std::string> kGenerated[] = {{api::kLegacyControllerUid, uid},
                                                                 {api::kLegacyJobName, name},
                                                                 {api::kControllerUid, uid},
                                                                 {api::kJobName, name}};
  Json expected;
  for (const auto& [key, value] : kGenerated) {
    expected[std::string(key)] = value;
    if (const Json* label = kml::find(labels, {key}); !label)
      errors.required("spec.template.metadata.labels", fmt::format("must be '{}'", value));
    else if (*label != value)
      errors.invalid("spec.template.metadata.labels", labels, fmt::format("must be '{}'", value));
  }
  if (!api::LabelSelector::from_json(selector).matches(expected))
    errors.invalid("spec.selector", selector, "`selector` not auto-generated");
}

void validate_restart_policy(const Json& job, FieldErrors& errors) {
  const std::string path = "spec.template.spec.restartPolicy",
                    policy = api::restart_policy_in(api::pod_spec_of(job));
  if (policy == "Always")
    errors.required(path, "valid values: \"OnFailure\", \"Never\"");
  else if (policy == "OnFailure" && kml::find(job, {"spec", "podFailurePolicy"}))
    errors.invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified");
  else
    errors.require_one_of(path, policy, {"OnFailure", "Never"});
}

}  // namespace

void validate_job_spec(const Json& job, FieldErrors& errors) {
  const Json& spec = api::spec_of(job);
  for (const char* field : {"parallelism", "completions", "backoffLimit", "backoffLimitPerIndex",
                            "maxFailedIndexes", "activeDeadlineSeconds", "ttlSecondsAfterFinished"})
    require_not_negative(spec, field, "spec", errors);
  validate_completions(job, errors);
  validate_failure_policy(spec, errors);
  validate_labels(api::metadata_of(api::pod_template_of(job)), "spec.template", errors);
  validate_pod_spec(api::pod_spec_of(job), "spec.template.spec", errors);
  validate_restart_policy(job, errors);
}

namespace {

void validate_job(const Json& job, FieldErrors& errors) {
  validate_selector(job, errors);
  validate_job_spec(job, errors);
  validate_host_names(job, errors);
}

/// The pod spec without its placement and its containers' resources. These may change while a job is
/// suspended and has no pods (Kueue changes them).
Json without_placement_and_resources(Json spec) {
  for (const char* field : {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) spec.erase(field);
  for (const char* field : {"containers", "initContainers"})
    if (spec.contains(field))
      for (Json& container : spec[field]) container.erase("resources");
  return spec;
}

void validate_template_change(const Json& next_job, const Json& current_job, FieldErrors& errors) {
  const Json& current = api::status_of(current_job);
  const bool is_mutable =
      api::is_suspended(current_job) && int_at(current, {"active"}) == 0 &&
      (!current.contains("startTime") || api::condition_is_true(current_job, "Suspended"));
  if (!is_mutable)
    return require_same(api::spec_of(next_job), api::spec_of(current_job), "template", "spec", errors);
  const Json &next_spec = api::pod_spec_of(next_job), &current_spec = api::pod_spec_of(current_job);
  if (without_placement_and_resources(next_spec) != without_placement_and_resources(current_spec))
    errors.immutable("spec.template.spec", next_spec);
}

void validate_change(const Json& next_job, const Json& current_job, FieldErrors& errors) {
  const Json &next = api::spec_of(next_job), &current = api::spec_of(current_job);
  for (const char* field : {"selector", "completionMode", "podFailurePolicy", "successPolicy",
                            "backoffLimitPerIndex", "managedBy"})
    require_same(next, current, field, "spec", errors);
  // The size of an indexed job may change if its new completions and parallelism are equal.
  const bool elastic =
      api::is_indexed(next_job) && next.contains("completions") && next["completions"] == next["parallelism"];
  if (!elastic) require_same(next, current, "completions", "spec", errors);
  validate_template_change(next_job, current_job, errors);
}

}  // namespace

const KindRules kJobRules{set_job_defaults, validate_job, validate_change, set_selector, take_labels};

}  // namespace kml::local
