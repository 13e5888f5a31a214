#include <fmt/format.h>

#include "render/overlay.h"

namespace kml::render {

namespace {

/// The job of a runtime that trains, and its container (trainer.kubeflow.org/v1alpha1, constants.go).
constexpr const char* kNode = "node";

// What a TrainJob can say of its pods (v2.0), of the container in spec.trainer and of the rest in
// spec.podSpecOverrides; spec.trainer calls its resources otherwise.
constexpr const char* kOfTrainer[] = {"image", "command", "args", "env"};
constexpr const char* kOfOverride[] = {"nodeSelector", "tolerations", "volumes", "serviceAccountName"};

// What flags set beyond that.
constexpr std::pair<const char*, const char*> kOfContainerOnly[] = {{"workingDir", "chdir"},
                                                                    {"envFrom", "env-from"}};
constexpr std::pair<const char*, const char*> kOfPodOnly[] = {{"affinity", "gpus"},
                                                              {"initContainers", "code"},
                                                              {"priorityClassName", "priority"},
                                                              {"terminationGracePeriodSeconds", "grace"},
                                                              {"imagePullSecrets", "pull-secret"}};

void copy(const char* key, const Json& from, Json& to, const char* as = nullptr) {
  if (from.is_object() && from.contains(key)) to[as ? as : key] = from[key];
}

/// The item of a list, made where there is none, for which `is_ours` holds.
template <typename Predicate>
Json& item_of(Json& list, Json initial, Predicate is_ours) {
  for (Json& item : list)
    if (is_ours(item)) return item;
  list.push_back(std::move(initial));
  return list.back();
}

}  // namespace

void overlay_trainjob(const spec::SubmitSpec& spec, Json& trainjob, bool with_command, Problems& problems) {
  Json& trainer = trainjob["spec"]["trainer"];
  Json& override = item_of(trainjob["spec"]["podSpecOverrides"],
                           {{"targetJobs", Json::array({{{"name", kNode}}})}}, [](const Json& item) {
                             const Json& targets = array_at(item, {"targetJobs"});
                             return targets.size() == 1 && string_at(targets[0], {"name"}) == kNode;
                           });
  Json& mounts = item_of(override["containers"], {{"name", kNode}},
                         [](const Json& item) { return string_at(item, {"name"}) == kNode; });

  // A PodTemplateSpec of the same content, on which the flags act, and back.
  Json container = {{"name", kNode}}, pod = Json::object();
  for (const char* key : kOfTrainer) copy(key, trainer, container);
  for (const char* key : kOfOverride) copy(key, override, pod);
  copy("resourcesPerNode", trainer, container, "resources");
  copy("volumeMounts", mounts, container);
  pod["containers"] = Json::array({std::move(container)});
  Json pod_template = {{"spec", std::move(pod)}};
  overlay_pod(spec, pod_template, with_command);

  const Json& changed = pod_template["spec"];
  const Json& changed_container = changed["containers"][0];
  for (const char* key : kOfTrainer) copy(key, changed_container, trainer);
  for (const char* key : kOfOverride) copy(key, changed, override);
  copy("resources", changed_container, trainer, "resourcesPerNode");
  copy("volumeMounts", changed_container, mounts);
  for (const auto& [key, value] : spec.labels) trainjob["spec"]["labels"][key] = value;
  if (mounts.size() == 1) override.erase("containers");
  if (override.size() == 1) trainjob["spec"].erase("podSpecOverrides");

  const auto refuse = [&](const Json& object, const auto& fields) {
    for (const auto& [key, flag] : fields)
      if (object.contains(key) && spec.given.contains(flag))
        problems.add({{},
                      0,
                      0,
                      fmt::format("--{}", flag),
                      std::string(key) == "affinity"
                          ? "a TrainJob cannot ask for a GPU type: --node-selector can"
                          : "TrainJob has no field for it; its runtime has"});
  };
  refuse(changed_container, kOfContainerOnly);
  refuse(changed, kOfPodOnly);
}

}  // namespace kml::render
