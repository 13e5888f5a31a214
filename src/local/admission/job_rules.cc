#include <fmt/format.h>

#include "kml/api/labels.h"
#include "kml/api/names.h"
#include "kml/api/object.h"
#include "kml/api/selector.h"
#include "local/admission/job_policies.h"
#include "local/admission/kind_rules.h"
#include "local/admission/metadata_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

namespace {

bool is_indexed(const Json& spec) {
  return string_at(spec, {"completionMode"}) == "Indexed";
}

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
  set_default(spec["template"], "spec", Json::object());
  default_pod_spec(spec["template"]["spec"]);
}

/// A job without labels has its template's (pkg/apis/batch/v1/defaults.go).
void take_labels(Json& job) {
  const Json& labels = object_at(job, {"spec", "template", "metadata", "labels"});
  if (api::labels_of(job).empty() && !labels.empty()) job["metadata"]["labels"] = labels;
}

/// How the job's pods are found: labels that hold its uid (registry/batch/job/strategy.go, generateSelector).
/// Labels of those names that a client gave stay, for the checks to refuse.
void set_selector(Json& job) {
  Json& spec = job["spec"];
  if (bool_at(spec, {"manualSelector"})) return;
  const std::string uid = api::uid_of(job), name = api::name_of(job);
  Json& labels = spec["template"]["metadata"]["labels"];
  const bool had_labels = !labels.empty();
  for (const char* key : {api::kControllerUid.data(), api::kLegacyControllerUid.data()})
    set_default(labels, key, uid);
  for (const char* key : {api::kJobName.data(), api::kLegacyJobName.data()}) set_default(labels, key, name);
  set_default(spec["selector"]["matchLabels"], api::kControllerUid.data(), uid);
  if (had_labels) take_labels(job);
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
  for (const char* field : {"backoffLimitPerIndex", "maxFailedIndexes"})
    if (spec.contains(field) && !is_indexed(spec))
      errors.invalid(std::string("spec.") + field, spec[field], "requires indexed completion mode");
  if (spec.contains("maxFailedIndexes") && !spec.contains("backoffLimitPerIndex"))
    errors.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified");
}

/// The pods of an indexed job have its name and their index as host name.
void validate_host_names(const Json& job, FieldErrors& errors) {
  const int64_t completions = int_at(job, {"spec", "completions"});
  if (!is_indexed(job["spec"]) || completions <= 0) return;
  const std::string name = api::name_of(job), longest = fmt::format("{}-{}", name, completions - 1);
  if (!api::dns_label_problem(longest).empty())
    errors.invalid("metadata.name", name, "will not able to create pod with invalid DNS label: " + longest);
}

/// A selector that the client did not ask to make itself is the server's own, and selects the job's pods.
void validate_selector(const Json& job, FieldErrors& errors) {
  const Json& spec = job["spec"];
  const Json &labels = object_at(spec, {"template", "metadata", "labels"}),
             &selector = object_at(spec, {"selector"});
  if (selector.empty()) errors.required("spec.selector");
  if (selector.empty() || !api::LabelSelector::from_json(selector).matches(labels))
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  if (bool_at(spec, {"manualSelector"}) || selector.empty()) return;
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

void validate_restart_policy(const Json& spec, FieldErrors& errors) {
  const std::string path = "spec.template.spec.restartPolicy",
                    policy = string_at(spec, {"template", "spec", "restartPolicy"});
  if (policy == "Always")
    errors.required(path, "valid values: \"OnFailure\", \"Never\"");
  else if (policy != "OnFailure" && policy != "Never")
    errors.not_supported(path, policy, "\"OnFailure\", \"Never\"");
  else if (spec.contains("podFailurePolicy") && policy != "Never")
    errors.invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified");
}

void validate_job(const Json& job, FieldErrors& errors) {
  const Json& spec = api::spec_of(job);
  validate_selector(job, errors);
  for (const char* field : {"parallelism", "completions", "backoffLimit", "backoffLimitPerIndex",
                            "maxFailedIndexes", "activeDeadlineSeconds", "ttlSecondsAfterFinished"})
    require_not_negative(spec, field, "spec", errors);
  validate_completions(spec, errors);
  validate_failure_policy(spec, errors);
  validate_labels(object_at(spec, {"template", "metadata"}), "spec.template", errors);
  validate_pod_spec(object_at(spec, {"template", "spec"}), "spec.template.spec", errors);
  validate_restart_policy(spec, errors);
  validate_host_names(job, errors);
}

/// While a job is suspended and has not run, where its pods go may be changed (Kueue does).
Json without_placement(Json pod_template) {
  for (const char* field : {"nodeSelector", "tolerations", "affinity", "schedulingGates"})
    pod_template["spec"].erase(field);
  pod_template.erase("metadata");
  return pod_template;
}

void validate_change(const Json& next_job, const Json& current_job, FieldErrors& errors) {
  const Json &next = api::spec_of(next_job), &current = api::spec_of(current_job);
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

const KindRules kJobRules{set_job_defaults, validate_job, validate_change, set_selector, take_labels};

}  // namespace kml::local
