#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/resource.h"
#include "kml/serve/model/manifests.h"

// InferenceServices of KServe without Knative ("raw"): KServe makes a Deployment and a Service for each, with
// its labels and annotations. Field names: KServe's pkg/apis/serving/v1beta1.

namespace kml::serve {

inline constexpr api::ResourceKind kInferenceService{"serving.kserve.io",
                                                     "v1beta1",
                                                     "InferenceService",
                                                     "inferenceservices",
                                                     "inferenceservice",
                                                     "isvc",
                                                     true};
/// The label of the Deployments, ReplicaSets and pods that KServe makes: the name of the InferenceService.
inline constexpr std::string_view kOfInferenceService = "serving.kserve.io/inferenceservice";

bool is_inference_service(const Json& object);

/// The InferenceService that runs the same pods as this Deployment would.
Json inference_service(const Json& deployment);

/// The existing InferenceService with the changes that a new call of `kml serve` requests. Keeps the number
/// of replicas unless the settings have one.
Json updated_inference_service(Json existing, const Json& wanted, const ServeSettings& settings);

/// The InferenceService with the pod template of an earlier ReplicaSet, as KServe made it. Throws Error if
/// its predictor does not consist of containers.
Json with_revision(Json existing, const Json& replica_set);

/// Whether KServe has made this Deployment for the predictor of the InferenceService.
bool is_deployment_of(const Json& deployment, const Json& inference_service);

/// Whether KServe has put the current state of the InferenceService into its Deployment. Always true if kml
/// did not make the InferenceService.
bool is_taken_up(const Json& inference_service, const Json& deployment);

/// The Service that KServe makes, and its port: "iris-predictor:80".
std::string service_by_kserve(const std::string& name);
/// The URL that KServe reports for the program: the one in the cluster or, without it, the external one; may
/// be empty.
std::string address_of(const Json& inference_service);

/// Why the program is not ready: the newest warning event about the InferenceService or, without one, the
/// message of its condition Ready; may be empty.
std::string trouble_of_kserve(kube::Client& client, const Json& inference_service);

}  // namespace kml::serve
