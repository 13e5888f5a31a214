#include "job/capacity/brief_workloads.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// Parts of a PodSpec, and of a Workload's admission, that kml does not need.
constexpr std::array<std::string_view, 22> kUnneeded = {"annotations",
                                                        "args",
                                                        "command",
                                                        "dnsConfig",
                                                        "env",
                                                        "envFrom",
                                                        "ephemeralContainers",
                                                        "hostAliases",
                                                        "imagePullSecrets",
                                                        "lifecycle",
                                                        "livenessProbe",
                                                        "ports",
                                                        "readinessGates",
                                                        "readinessProbe",
                                                        "resizePolicy",
                                                        "securityContext",
                                                        "startupProbe",
                                                        "topologyAssignment",
                                                        "volumeDevices",
                                                        "volumeMounts",
                                                        "volumes",
                                                        "metricLabels"};

/// The fields that determine a container's requests.
constexpr std::array<std::string_view, 3> kOfContainer = {"name", "resources", "restartPolicy"};
/// The parts of a PodSpec on which its admission depends.
constexpr std::array<std::string_view, 8> kOfPod = {"containers",  "initContainers", "resources",
                                                    "overhead",    "affinity",       "nodeSelector",
                                                    "tolerations", "priority"};

/// The value, or null if the object does not have it.
Json* part_of(Json& object, std::string_view key) {
  return const_cast<Json*>(find(object, {key}));
}

void keep_only(std::span<const std::string_view> kept, Json* object) {
  if (!object || !object->is_object()) return;
  for (auto member = object->begin(); member != object->end();)
    member = std::find(kept.begin(), kept.end(), member.key()) == kept.end() ? object->erase(member)
                                                                             : std::next(member);
}

void keep_only_in_each(std::span<const std::string_view> kept, Json* list) {
  if (!list || !list->is_array()) return;
  for (Json& item : *list) keep_only(kept, &item);
}

void shorten(Json& workload) {
  Json* spec = part_of(workload, "spec");
  Json* sets = spec ? part_of(*spec, "podSets") : nullptr;
  if (!sets || !sets->is_array()) return;
  for (Json& set : *sets) {
    Json* made = part_of(set, "template");
    if (!made || !made->is_object()) continue;
    made->erase("metadata");
    Json* pod = part_of(*made, "spec");
    keep_only(kOfPod, pod);
    for (const char* containers : {"containers", "initContainers"})
      if (pod) keep_only_in_each(kOfContainer, part_of(*pod, containers));
  }
}

}  // namespace

std::optional<Error> each_workload(kube::Client& client, const api::ResourceKind& kind,
                                   const std::string& namespace_name, const std::function<void(Json)>& take) {
  kube::BriefQuery query{&kind, namespace_name, "", kube::Detail::queue};
  query.unneeded = kUnneeded;
  query.take = [&](Json workload) {
    shorten(workload);
    take(std::move(workload));
  };
  return std::move(kube::list_briefly(client, {&query, 1})[0].error);
}

void drop_templates(Json& workload) {
  Json* spec = part_of(workload, "spec");
  Json* sets = spec ? part_of(*spec, "podSets") : nullptr;
  if (sets && sets->is_array())
    for (Json& set : *sets)
      if (set.is_object()) set.erase("template");
}

void keep_name(Json& workload) {
  constexpr std::array<std::string_view, 1> kParts = {"metadata"};
  constexpr std::array<std::string_view, 4> kMetadata = {"name", "namespace", "uid", "ownerReferences"};
  keep_only(kParts, &workload);
  keep_only(kMetadata, part_of(workload, "metadata"));
}

void keep_place(Json& workload) {
  constexpr std::array<std::string_view, 6> kMetadata = {
      "name", "namespace", "uid", "creationTimestamp", "labels", "ownerReferences"};
  constexpr std::array<std::string_view, 3> kSpec = {"queueName", "priority", "active"};
  constexpr std::array<std::string_view, 2> kStatus = {"admission", "conditions"};
  constexpr std::array<std::string_view, 5> kCondition = {"type", "status", "reason", "message",
                                                          "lastTransitionTime"};
  constexpr std::array<std::string_view, 1> kLabels = {api::kUser};
  constexpr std::array<std::string_view, 4> kOwner = {"kind", "name", "uid", "controller"};
  if (Json* metadata = part_of(workload, "metadata")) {
    keep_only(kMetadata, metadata);
    keep_only(kLabels, part_of(*metadata, "labels"));
    keep_only_in_each(kOwner, part_of(*metadata, "ownerReferences"));
  }
  keep_only(kSpec, part_of(workload, "spec"));
  if (Json* status = part_of(workload, "status")) {
    keep_only(kStatus, status);
    keep_only_in_each(kCondition, part_of(*status, "conditions"));
  }
}

}  // namespace kml::job
