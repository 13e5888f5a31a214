#include <fmt/format.h>

#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"

namespace kml::local {

// As the training operator v1 does (pkg/apis/kubeflow.org/v1/pytorch_defaults.go, pytorch_validation.go).

namespace {

constexpr const char* kContainer = "pytorch";

void set_pytorchjob_defaults(Json& job) {
  set_default(job, "spec", Json::object());
  Json& spec = job["spec"];
  set_default(spec, "runPolicy", Json::object());
  set_default(spec["runPolicy"], "cleanPodPolicy", "None");
  set_default(spec["runPolicy"], "suspend", false);
  if (!spec.contains("pytorchReplicaSpecs")) return;
  for (Json& replica : spec["pytorchReplicaSpecs"]) {
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
  if (type == "Master" && int_at(replica, {"replicas"}) != 1)
    errors.invalid(path + ".replicas", int_at(replica, {"replicas"}), "must be 1");
  const std::string restart = string_at(replica, {"restartPolicy"});
  if (restart != "Always" && restart != "OnFailure" && restart != "Never" && restart != "ExitCode")
    errors.not_supported(path + ".restartPolicy", restart,
                         "\"Always\", \"ExitCode\", \"Never\", \"OnFailure\"");
  const Json& pod_spec = object_at(replica, {"template", "spec"});
  validate_labels(object_at(replica, {"template", "metadata"}), path + ".template.metadata", errors);
  validate_pod_spec(pod_spec, path + ".template.spec", errors);
  for (const Json& container : array_at(pod_spec, {"containers"}))
    if (string_at(container, {"name"}) == kContainer) return;
  errors.required(path + ".template.spec.containers", "must have at least one container with name pytorch");
}

void validate_pytorchjob(const Json& job, FieldErrors& errors) {
  const Json& replicas = object_at(job, {"spec", "pytorchReplicaSpecs"});
  if (replicas.empty()) errors.required("spec.pytorchReplicaSpecs");
  for (const auto& [type, replica] : replicas.items()) validate_replica(type, replica, errors);
  const Json& policy = object_at(job, {"spec", "runPolicy"});
  for (const char* field : {"backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"})
    require_not_negative(policy, field, "spec.runPolicy", errors);
  const std::string clean = string_at(policy, {"cleanPodPolicy"});
  if (clean != "None" && clean != "Running" && clean != "All")
    errors.not_supported("spec.runPolicy.cleanPodPolicy", clean, "\"All\", \"None\", \"Running\"");
}

}  // namespace

const KindRules kPyTorchJobRules{set_pytorchjob_defaults, validate_pytorchjob,
                                 [](const Json&, const Json&, FieldErrors&) {}};

}  // namespace kml::local
