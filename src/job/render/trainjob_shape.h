#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

/// How a TrainJob (trainer.kubeflow.org/v1alpha1) changes the objects in its runtime. The shape depends on
/// the version of Kubeflow Trainer (see each version's pkg/apis/trainer/v1alpha1/trainjob_types.go):
/// `runtimePatches` since 2.2, `podTemplateOverrides` in 2.1, `podSpecOverrides` in 2.0. A cluster rejects
/// the shapes of other versions.
namespace kml::render {

/// The name of both the training job in a runtime and its container (trainer.kubeflow.org/v1alpha1,
/// constants.go).
inline constexpr const char* kTrainerJob = "node";

/// Changes to the pods of one of the runtime's replicated jobs, as parts of a PodTemplateSpec; null if there
/// are none.
struct PodPatch {
  std::string job;
  Json metadata, spec;
};

struct RuntimePatch {
  Json metadata;  ///< the JobSet's labels and annotations; null if there are none
  std::vector<PodPatch> pods;

  /// The changes to this job's pods. Adds empty changes if there are none.
  PodPatch& of_job(const std::string& job);
};

/// Removes kml's patch from a TrainJob, and returns the patch. In older shapes, the patch includes all
/// overrides, whoever wrote them.
RuntimePatch take_patch(Json& trainjob);

/// Adds the patch in the newest shape, unless it is empty.
void add_patch(Json& trainjob, const RuntimePatch& patch);

/// The TrainJob in the next older shape, if the server rejected the TrainJob because it does not know this
/// shape. Empty if the error has a different reason, or if the object is of a different kind. Throws usage
/// Error if a flag needs a newer version of Kubeflow Trainer.
std::optional<Json> older_trainjob(const Json& trainjob, const Error& rejection);

/// Calls `visit` with the metadata and spec of each pod in the patches of a TrainJob in the newest shape.
void each_patched_pod(Json& trainjob, const std::function<void(Json& pod)>& visit);

/// Whether the server has stored the TrainJob without the labels that its pods were to have: Kubeflow Trainer
/// 2.0 has no place for them.
bool lost_labels_of_pods(const Json& sent, const Json& stored);

}  // namespace kml::render
