#include "kml/kube/objects/int_or_percent.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/selector.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"
#include "local/api/api_error.h"

namespace kml::local {

// The rules for Deployments and ReplicaSets come from k8s.io/kubernetes/pkg/apis/apps/v1/defaults.go, and
// from ValidateDeploymentSpec and ValidateReplicaSetSpec in pkg/apis/apps/validation/validation.go.

namespace {

Json& set_template_defaults(Json& object) {
  set_default(object, "spec", Json::object());
  Json& spec = object["spec"];
  set_default(spec, "replicas", 1);
  set_default(spec, "template", Json::object());
  Json& pod_template = spec["template"];
  set_default(pod_template, "spec", Json::object());
  default_pod_spec(pod_template["spec"]);
  return spec;
}

void set_deployment_defaults(Json& deployment) {
  Json& spec = set_template_defaults(deployment);
  set_default(spec, "strategy", Json::object());
  Json& strategy = spec["strategy"];
  set_default(strategy, "type", "RollingUpdate");
  if (strategy["type"] == "RollingUpdate") {
    set_default(strategy, "rollingUpdate", Json::object());
    for (const char* limit : {"maxSurge", "maxUnavailable"})
      set_default(strategy["rollingUpdate"], limit, "25%");
  }
  set_default(spec, "revisionHistoryLimit", 10);
  set_default(spec, "progressDeadlineSeconds", 600);
}

/// Checks the selector and the template, and that they match.
void validate_template(const Json& object, const std::string& kind, FieldErrors& errors) {
  const Json *selector = kml::find(object, {"spec", "selector"}),
             &labels = api::labels_of(api::pod_template_of(object)), &pod_spec = api::pod_spec_of(object);
  if (!selector)
    errors.required("spec.selector");
  else if (selector->empty())
    errors.invalid("spec.selector", *selector, "empty selector is invalid for " + kind);
  if (!selector || !api::LabelSelector::from_json(*selector).matches(labels))
    errors.invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  validate_labels(api::metadata_of(api::pod_template_of(object)), "spec.template", errors);
  validate_pod_spec(pod_spec, "spec.template.spec", errors);
  if (const std::string policy = api::restart_policy_in(pod_spec); policy != "Always")
    errors.not_supported("spec.template.spec.restartPolicy", policy, "\"Always\"");
  if (pod_spec.contains("activeDeadlineSeconds"))
    errors.forbidden("spec.template.spec.activeDeadlineSeconds",
                     "activeDeadlineSeconds in ReplicaSet is not Supported");
  for (const char* field : {"replicas", "minReadySeconds"})
    require_not_negative(api::spec_of(object), field, "spec", errors);
}

void validate_limit(const Json& value, const std::string& path, bool at_most_all, FieldErrors& errors) {
  const auto parsed = api::IntOrPercent::from_json(value);
  if (!parsed)
    errors.invalid(
        path, value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for validation is '[0-9]+%')");
  else if (parsed->number < 0)
    errors.invalid(path, value, "must be greater than or equal to 0");
  else if (at_most_all && parsed->is_percent && parsed->number > 100)
    errors.invalid(path, value, "must not be greater than 100%");
}

bool is_zero(const Json& limits, const char* field) {
  const auto parsed = api::IntOrPercent::from_json(limits.value(field, Json()));
  return parsed && parsed->number == 0;
}

void validate_strategy(const Json& strategy, FieldErrors& errors) {
  const std::string type = string_at(strategy, {"type"}), path = "spec.strategy.rollingUpdate";
  errors.require_one_of("spec.strategy.type", type, {"Recreate", "RollingUpdate"});
  const Json* limits = kml::find(strategy, {"rollingUpdate"});
  if (type == "Recreate" && limits)
    errors.forbidden(path, "may not be specified when strategy `type` is 'Recreate'");
  if (type != "RollingUpdate" || !limits) return;
  validate_limit(limits->value("maxUnavailable", Json()), path + ".maxUnavailable", true, errors);
  validate_limit(limits->value("maxSurge", Json()), path + ".maxSurge", false, errors);
  if (is_zero(*limits, "maxUnavailable") && is_zero(*limits, "maxSurge"))
    errors.invalid(path + ".maxUnavailable", (*limits)["maxUnavailable"],
                   "may not be 0 when `maxSurge` is 0");
}

void validate_deployment(const Json& deployment, FieldErrors& errors) {
  const Json& spec = api::spec_of(deployment);
  validate_template(deployment, "deployment", errors);
  validate_strategy(object_at(spec, {"strategy"}), errors);
  for (const char* field : {"revisionHistoryLimit", "progressDeadlineSeconds"})
    require_not_negative(spec, field, "spec", errors);
  const int64_t deadline = int_at(spec, {"progressDeadlineSeconds"});
  if (deadline <= int_at(spec, {"minReadySeconds"}))
    errors.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
}

void validate_selector_change(const Json& next, const Json& current, FieldErrors& errors) {
  require_same(api::spec_of(next), api::spec_of(current), "selector", "spec", errors);
}

}  // namespace

const KindRules kDeploymentRules{set_deployment_defaults, validate_deployment, validate_selector_change};

const KindRules kReplicaSetRules{
    [](Json& set) { set_template_defaults(set); },
    [](const Json& set, FieldErrors& errors) { validate_template(set, "deployment", errors); },
    validate_selector_change,
};

}  // namespace kml::local
