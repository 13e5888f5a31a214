#include "job/render/trainjob.h"

#include <fmt/format.h>

#include "job/render/overlay.h"
#include "job/render/trainjob_shape.h"

namespace kml::render {

namespace {

// The fields that a TrainJob can set: those of its container in spec.trainer, and those of its pod in a patch
// of the runtime. spec.trainer uses a different name for the resources.
constexpr const char* kOfTrainer[] = {"image", "command", "args", "env"};
constexpr const char* kOfPatch[] = {"nodeSelector",
                                    "affinity",
                                    "tolerations",
                                    "volumes",
                                    "serviceAccountName",
                                    "imagePullSecrets",
                                    "terminationGracePeriodSeconds"};

// More fields that flags set; a TrainJob has no place for them.
constexpr std::pair<const char*, const char*> kOfContainerOnly[] = {{"workingDir", "chdir"},
                                                                    {"envFrom", "env-from"}};
constexpr std::pair<const char*, const char*> kOfPodOnly[] = {{"initContainers", "code"},
                                                              {"priorityClassName", "priority"}};

void copy(const char* key, const Json& from, Json& to, const char* as = nullptr) {
  if (from.is_object() && from.contains(key)) to[as ? as : key] = from[key];
}

/// Like copy(), but a field that `from` lacks is removed: a flag such as --gpus has removed it.
void move_back(const char* key, const Json& from, Json& to) {
  copy(key, from, to);
  if (to.is_object() && !from.contains(key)) to.erase(key);
}

/// The patch of the training job's container. Adds one if there is none.
Json& container_of(PodPatch& node) {
  Json& containers = node.spec["containers"];
  for (Json& container : containers)
    if (string_at(container, {"name"}) == kTrainerJob) return container;
  containers.push_back({{"name", kTrainerJob}});
  return containers.back();
}

}  // namespace

void overlay_trainjob(const spec::SubmitSpec& spec, Json& trainjob, bool with_command, Problems& problems) {
  RuntimePatch patch = take_patch(trainjob);
  Json& trainer = trainjob["spec"]["trainer"];
  PodPatch& node = patch.of_job(kTrainerJob);
  Json& mounts = container_of(node);

  // Copies the fields into a PodTemplateSpec, applies the flags to that, and copies the fields back.
  Json container = {{"name", kTrainerJob}}, pod = Json::object();
  for (const char* key : kOfTrainer) copy(key, trainer, container);
  for (const char* key : kOfPatch) copy(key, node.spec, pod);
  copy("resourcesPerNode", trainer, container, "resources");
  copy("volumeMounts", mounts, container);
  pod["containers"] = Json::array({std::move(container)});
  Json pod_template = {{"spec", std::move(pod)}};
  overlay_pod(spec, pod_template, with_command);

  const Json& changed = pod_template["spec"];
  const Json& changed_container = changed["containers"][0];
  for (const char* key : kOfTrainer) copy(key, changed_container, trainer);
  copy("resources", changed_container, trainer, "resourcesPerNode");
  copy("volumeMounts", changed_container, mounts);
  if (mounts.size() == 1) node.spec.erase("containers");
  for (const char* key : kOfPatch) move_back(key, changed, node.spec);
  if (node.spec.empty()) node.spec = nullptr;
  for (const auto& [key, value] : spec.labels)
    patch.metadata["labels"][key] = node.metadata["labels"][key] = value;
  add_patch(trainjob, patch);

  const auto refuse = [&](const Json& object, const auto& fields) {
    for (const auto& [key, flag] : fields)
      if (object.contains(key) && spec.given.contains(flag))
        problems.add(
            {{}, 0, 0, fmt::format("--{}", flag), "a TrainJob has no field for this; set it in the runtime"});
  };
  refuse(changed_container, kOfContainerOnly);
  refuse(changed, kOfPodOnly);
}

Json pod_template_of(Json trainjob) {
  const PodPatch node = take_patch(trainjob).of_job(kTrainerJob);
  Json pod = node.spec.is_object() ? node.spec : Json::object();
  const Json& trainer = object_at(trainjob, {"spec", "trainer"});
  Json container = {{"name", kTrainerJob}};
  for (const char* key : {"image", "env"}) copy(key, trainer, container);
  copy("resourcesPerNode", trainer, container, "resources");
  pod["containers"] = Json::array({std::move(container)});
  Json pod_template = {{"spec", std::move(pod)}};
  if (node.metadata.is_object()) pod_template["metadata"] = node.metadata;
  return pod_template;
}

}  // namespace kml::render
