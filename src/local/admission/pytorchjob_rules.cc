#include <fmt/format.h>

#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

// These are the rules of the training operator v1 (pkg/apis/kubeflow.org/v1/pytorch_defaults.go,
// pytorch_validation.go).

namespace {

constexpr const char* kContainer = "pytorch";

void set_pytorchjob_defaults(Json& job) {
  set_default(job, "spec", Json::object());
  Json& spec = job["spec"];
  set_default(spec, "runPolicy", Json::object());
  Json& policy = spec["runPolicy"];
  set_default(policy, "cleanPodPolicy", "None");
  set_default(policy, "suspend", false);
  for (Json& replica : api::part_in(spec, "pytorchReplicaSpecs")) {
    if (!replica.is_object()) continue;
    set_default(replica, "replicas", 1);
    set_default(replica, "restartPolicy", "OnFailure");
  }
}

void validate_replica(const std::string& type, const Json& replica, FieldErrors& errors) {
  const std::string path = fmt::format("spec.pytorchReplicaSpecs[{}]", type);
  if (type != "Master" && type != "Worker")
    return errors.not_supported("spec.pytorchReplicaSpecs", type, "\"Master\", \"Worker\"");
  require_not_negative(replica, "replicas", path, errors);
  if (const auto count = api::replica_count_in(replica); type == "Master" && count != 1)
    errors.invalid(path + ".replicas", count, "must be 1");
  errors.require_one_of(path + ".restartPolicy", api::restart_policy_in(replica),
                        {"Always", "ExitCode", "Never", "OnFailure"});
  const Json& pod_template = api::template_in(replica);
  const Json& pod_spec = api::spec_of(pod_template);
  validate_labels(api::metadata_of(pod_template), path + ".template.metadata", errors);
  validate_pod_spec(pod_spec, path + ".template.spec", errors);
  for (const Json& container : api::containers_in(pod_spec))
    if (api::entry_name(container) == kContainer) return;
  errors.required(path + ".template.spec.containers", "must have at least one container with name pytorch");
}

void validate_pytorchjob(const Json& job, FieldErrors& errors) {
  const Json& replicas = api::replicas_of(job);
  if (replicas.empty()) errors.required("spec.pytorchReplicaSpecs");
  for (const auto& [type, replica] : replicas.items()) validate_replica(type, replica, errors);
  const Json& policy = api::run_policy_of(job);
  for (const char* field : {"backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"})
    require_not_negative(policy, field, "spec.runPolicy", errors);
  errors.require_one_of("spec.runPolicy.cleanPodPolicy", policy.value("cleanPodPolicy", Json()),
                        {"All", "None", "Running"});
}

}  // namespace

const KindRules kPyTorchJobRules{set_pytorchjob_defaults, validate_pytorchjob,
                                 [](const Json&, const Json&, FieldErrors&) {}};

}  // namespace kml::local
