#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

namespace {

/// As in Katib, pkg/apis/controller/experiments/v1beta1/constants.go, for TFJob, MPIJob, XGBoostJob and the
/// other kinds of the training operator.
std::string condition_of_operator(const Json& trial, const char* type) {
  if (!api::api_version_of(trial).starts_with("kubeflow.org/")) return {};
  return std::string("status.conditions.#(type==\"") + type + "\")#|#(status==\"True\")#";
}

}  // namespace

std::optional<engine::EndConditions> ends_of_trials(const SweepSpec& spec) {
  if (job::is_job(spec.trial)) return {};
  std::string success = spec.conditions.success, failure = spec.conditions.failure;
  if (success.empty()) success = condition_of_operator(spec.trial, "Succeeded");
  if (failure.empty()) failure = condition_of_operator(spec.trial, "Failed");
  if (success.empty() || failure.empty())
    throw usage_error("kml does not know how trials of kind " + api::kind_name(spec.trial) + " end",
                      "kml knows this for Job, PyTorchJob, MPIJob, TrainJob, JobSet and the other kinds "
                      "of kubeflow.org",
                      "set successCondition and failureCondition in spec.trialTemplate");
  return engine::EndConditions{JsonQuery(success), JsonQuery(failure)};
}

}  // namespace kml::sweep
