#include "serve/model/kserve.h"

#include <algorithm>
#include <array>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::serve {

namespace {

/// KServe's annotation for the deployment mode. Without it, KServe uses the mode in its configuration, often
/// Knative.
constexpr std::string_view kMode = "serving.kserve.io/deploymentMode";
/// KServe's annotation for the autoscaler. Without it, KServe scales by the load.
constexpr std::string_view kAutoscaler = "serving.kserve.io/autoscalerClass";
/// An annotation of a predictor, and thus of its pods: a digest of the predictor. It shows whether KServe has
/// applied an update.
constexpr std::string_view kDigest = "kml.dev/predictor";
/// Further fields of a predictor, besides those of a pod.
constexpr std::array<std::string_view, 12> kExtensions = {
    "minReplicas",     "maxReplicas", "scaleTarget",          "scaleMetric",
    "scaleMetricType", "autoScaling", "containerConcurrency", "timeout",
    "logger",          "batcher",     "deploymentStrategy",   "canaryTrafficPercent"};

std::string digest_of(const Json& predictor) {
  constexpr size_t kDigits = 16;
  return sha256_hex(predictor.dump()).substr(0, kDigits);
}

std::string digest_in(const Json& annotated) {
  return string_at(annotated, {"annotations", kDigest});
}

const Json& predictor_of(const Json& inference_service) {
  return object_at(inference_service, {"spec", "predictor"});
}

/// The data that describes a revision. Annotations for KServe itself belong to the InferenceService. Leaves
/// out the time of the call, because each call would then make a revision.
Json annotations_of_predictor(const Json& deployment) {
  Json annotations = api::annotations_of(api::pod_template_of(deployment));
  if (annotations.is_null()) annotations = Json::object();
  for (const auto& [key, value] : api::annotations_of(deployment).items())
    if (!key.starts_with("serving.kserve.io/") && key != api::kSubmitted) annotations[key] = value;
  return annotations;
}

Json metadata_of(const Json& deployment) {
  Json annotations = {{kMode, "RawDeployment"}, {kAutoscaler, "none"}};
  for (const auto& [key, value] : api::annotations_of(deployment).items())
    if (key.starts_with("serving.kserve.io/")) annotations[key] = value;
  return {{"name", api::name_of(deployment)},
          {"namespace", api::namespace_of(deployment)},
          {"labels", api::labels_of(deployment)},
          {"annotations", std::move(annotations)}};
}

/// The entries of a ReplicaSet's template that KServe has neither added itself nor copied from the metadata
/// of the InferenceService.
Json own_entries(const Json& of_template, const Json& of_service) {
  constexpr std::array<std::string_view, 3> kMade = {"pod-template-hash", "app", "component"};
  Json own = Json::object();
  for (const auto& [key, value] : of_template.items())
    if (!of_service.contains(key) && !key.starts_with("serving.kserve.io/") &&
        std::find(kMade.begin(), kMade.end(), key) == kMade.end())
      own[key] = value;
  return own;
}

}  // namespace

bool is_inference_service(const Json& object) {
  return api::kind_name(object) == kInferenceService.kind &&
         api::api_version_of(object).starts_with("serving.kserve.io/");
}

Json inference_service(const Json& deployment) {
  const Json& pod = api::pod_template_of(deployment);
  Json predictor = api::spec_of(pod);
  predictor["containers"][0]["name"] = "kserve-container";
  predictor["labels"] = api::labels_of(pod);
  predictor["annotations"] = annotations_of_predictor(deployment);
  predictor["annotations"][std::string(kDigest)] = digest_of(predictor);
  predictor["deploymentStrategy"] = object_at(deployment, {"spec", "strategy"});
  for (const char* bound : {"minReplicas", "maxReplicas"})
    predictor[bound] = int_at(deployment, {"spec", "replicas"}, 1);
  return {{"apiVersion", kInferenceService.api_version()},
          {"kind", kInferenceService.kind},
          {"metadata", metadata_of(deployment)},
          {"spec", {{"predictor", std::move(predictor)}}}};
}

Json updated_inference_service(Json existing, const Json& wanted, const ServeSettings& settings) {
  Json predictor = predictor_of(wanted);
  // The submit's id is also a label of the pods, so the id stays the same if nothing changes.
  const bool is_changed = digest_in(predictor) != digest_in(predictor_of(existing));
  if (!settings.replicas)
    for (const char* bound : {"minReplicas", "maxReplicas"})
      if (const Json* now = find(existing, {"spec", "predictor", bound})) predictor[bound] = *now;
  for (const char* part : {"labels", "annotations"})
    for (const auto& [key, value] : object_at(wanted, {"metadata", part}).items())
      if (is_changed || key != api::kSubmitId) existing["metadata"][part][key] = value;
  existing["spec"]["predictor"] = std::move(predictor);
  return existing;
}

Json with_revision(Json existing, const Json& replica_set) {
  const Json& now = predictor_of(existing);
  if (array_at(now, {"containers"}).empty() || now.contains("model"))
    throw Error(ErrorCode::failure, api::name_of(existing) + " cannot be rolled back",
                "its predictor is a model for one of KServe's runtimes", "apply its earlier manifest");
  const Json& pod = api::pod_template_of(replica_set);
  Json predictor = api::spec_of(pod);
  for (const std::string_view field : kExtensions)
    if (const Json* kept = find(now, {field})) predictor[std::string(field)] = *kept;
  predictor["labels"] = own_entries(api::labels_of(pod), api::labels_of(existing));
  predictor["annotations"] = own_entries(api::annotations_of(pod), api::annotations_of(existing));
  existing["spec"]["predictor"] = std::move(predictor);
  return existing;
}

bool is_deployment_of(const Json& deployment, const Json& inference_service) {
  // Old versions of KServe called the Deployment NAME-predictor-default, and newer ones keep its name. A
  // predictor on several nodes has another Deployment, for its workers.
  const std::string name = api::name_of(inference_service) + "-predictor", own = api::name_of(deployment);
  return job::is_controlled_by(deployment, inference_service) && (own == name || own == name + "-default");
}

bool is_taken_up(const Json& inference_service, const Json& deployment) {
  const Json& predictor = predictor_of(inference_service);
  const std::string digest = digest_in(predictor);
  if (digest.empty()) return true;  // the object was not made by kml serve
  if (digest_in(object_at(deployment, {"spec", "template", "metadata"})) != digest) return false;
  return api::annotation_of(inference_service, kAutoscaler) != "none" ||
         int_at(deployment, {"spec", "replicas"}, 1) == int_at(predictor, {"minReplicas"}, 1);
}

std::string service_by_kserve(const std::string& name) {
  return name + "-predictor:80";
}

std::string address_of(const Json& inference_service) {
  std::string url = string_at(inference_service, {"status", "address", "url"});
  return url.empty() ? string_at(inference_service, {"status", "url"}) : url;
}

std::string trouble_of_kserve(kube::Client& client, const Json& inference_service) {
  try {
    const auto events = client
                            .list(api::known_kind("v1", "Event"), api::namespace_of(inference_service),
                                  {.field_selector = "involvedObject.uid=" + api::uid_of(inference_service) +
                                                     ",type=Warning"})
                            .items;
    const auto last = std::max_element(events.begin(), events.end(), api::is_earlier_event);
    if (last != events.end()) return api::message_of(*last);
  } catch (const Error&) {  // the user may not read events
  }
  return api::condition(inference_service, "Ready").message();
}

}  // namespace kml::serve
