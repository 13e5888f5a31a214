#include "job/render/trainjob_shape.h"

#include <algorithm>

#include "kml/base/text.h"

namespace kml::render {

namespace {

constexpr const char* kRuntimePatches = "runtimePatches";
constexpr const char* kPodTemplateOverrides = "podTemplateOverrides";
constexpr const char* kPodSpecOverrides = "podSpecOverrides";
/// Identifies kml's entry, because each program that adds patches has a separate entry.
constexpr const char* kManager = "kml.dev/cli";

/// Fields that flags set, and the version of Kubeflow Trainer that added them to TrainJob.
struct LateField {
  std::string_view name, flag, since;
};
constexpr LateField kLateFields[] = {
    {"activeDeadlineSeconds", "--time-limit", "2.2"},
    {"terminationGracePeriodSeconds", "--grace", "2.3"},
    {"imagePullSecrets", "--pull-secret", "2.1"},
    {"affinity", "--gpus with a type", "2.1"},
};

/// Whether a pod of the patch is to have metadata of this part, "labels" or "annotations".
bool any_metadata(Json trainjob, const char* part) {
  const RuntimePatch patch = take_patch(trainjob);
  return std::any_of(patch.pods.begin(), patch.pods.end(),
                     [&](const PodPatch& pods) { return find(pods.metadata, {part}) != nullptr; });
}

/// Merges maps, and appends list items.
void merge(Json& to, const Json& from) {
  if (from.is_null()) return;
  if (to.is_object() && from.is_object())
    for (const auto& [key, value] : from.items()) merge(to[key], value);
  else if (to.is_array() && from.is_array())
    to.insert(to.end(), from.begin(), from.end());
  else
    to = from;
}

void set_if_any(Json& object, const char* key, const Json& value) {
  if (!value.is_null() && !value.empty()) object[key] = value;
}

/// Calls `take` with the name of each job to which the override applies.
template <typename Take>
void each_target(const Json& override, const Take& take) {
  for (const Json& target : array_at(override, {"targetJobs"})) take(string_at(target, {"name"}));
}

Json targets(const PodPatch& pods) {
  return Json::array({{{"name", pods.job}}});
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : Json();
}

bool is_ours(const Json& patch) {
  return string_at(patch, {"manager"}) == kManager;
}

void take_runtime_patches(Json& spec, RuntimePatch& patch) {
  if (!spec.contains(kRuntimePatches) || !spec[kRuntimePatches].is_array()) return;
  for (const Json& entry : spec[kRuntimePatches]) {
    if (!is_ours(entry)) continue;
    const Json& jobset = object_at(entry, {"trainingRuntimeSpec", "template"});
    merge(patch.metadata, member(jobset, "metadata"));
    for (const Json& job : array_at(jobset, {"spec", "replicatedJobs"})) {
      const Json& pod = object_at(job, {"template", "spec", "template"});
      PodPatch& pods = patch.of_job(string_at(job, {"name"}));
      merge(pods.metadata, member(pod, "metadata"));
      merge(pods.spec, member(pod, "spec"));
    }
  }
  Json& entries = spec[kRuntimePatches];
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_ours), entries.end());
  if (entries.empty()) spec.erase(kRuntimePatches);
}

void take_overrides(Json& spec, RuntimePatch& patch) {
  for (const Json& override : array_at(spec, {kPodTemplateOverrides}))
    each_target(override, [&](const std::string& job) {
      PodPatch& pods = patch.of_job(job);
      merge(pods.metadata, member(override, "metadata"));
      merge(pods.spec, member(override, "spec"));
    });
  for (const Json& override : array_at(spec, {kPodSpecOverrides}))
    each_target(override, [&](const std::string& job) {
      Json fields = override;
      fields.erase("targetJobs");
      merge(patch.of_job(job).spec, fields);
    });
  for (const char* part : {"labels", "annotations"})
    if (spec.contains(part)) merge(patch.metadata[part], spec[part]);
  for (const char* key : {kPodTemplateOverrides, kPodSpecOverrides, "labels", "annotations"}) spec.erase(key);
}

Json in_2_1(const Json& trainjob) {
  Json older = trainjob;
  Json& spec = older["spec"];
  const RuntimePatch patch = take_patch(older);
  for (const char* part : {"labels", "annotations"}) set_if_any(spec, part, member(patch.metadata, part));
  for (const PodPatch& pods : patch.pods) {
    Json override = {{"targetJobs", targets(pods)}};
    set_if_any(override, "metadata", pods.metadata);
    set_if_any(override, "spec", pods.spec);
    if (override.size() > 1) spec[kPodTemplateOverrides].push_back(std::move(override));
  }
  return older;
}

/// The TrainJob in the shape of version 2.0, which has no place for pod labels.
Json in_2_0(const Json& trainjob) {
  Json older = in_2_1(trainjob);
  Json& spec = older["spec"];
  const Json overrides = member(spec, kPodTemplateOverrides);
  spec.erase(kPodTemplateOverrides);
  for (const Json& override : overrides) {
    if (!override.contains("spec")) continue;
    Json older_override = override["spec"];
    older_override["targetJobs"] = override["targetJobs"];
    spec[kPodSpecOverrides].push_back(std::move(older_override));
  }
  return older;
}

}  // namespace

PodPatch& RuntimePatch::of_job(const std::string& job) {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [&](const PodPatch& each) { return each.job == job; });
  return found != pods.end() ? *found : pods.emplace_back(PodPatch{job, {}, {}});
}

RuntimePatch take_patch(Json& trainjob) {
  RuntimePatch patch;
  if (const auto spec = trainjob.find("spec"); spec != trainjob.end() && spec->is_object()) {
    take_runtime_patches(*spec, patch);
    take_overrides(*spec, patch);
  }
  return patch;
}

void add_patch(Json& trainjob, const RuntimePatch& patch) {
  Json jobset = Json::object();
  set_if_any(jobset, "metadata", patch.metadata);
  for (const PodPatch& pods : patch.pods) {
    Json pod = Json::object();
    set_if_any(pod, "metadata", pods.metadata);
    set_if_any(pod, "spec", pods.spec);
    if (pod.empty()) continue;
    Json job = {{"name", pods.job}};
    job["template"]["spec"]["template"] = std::move(pod);
    jobset["spec"]["replicatedJobs"].push_back(std::move(job));
  }
  if (jobset.empty()) return;
  Json entry = {{"manager", kManager}};
  entry["trainingRuntimeSpec"]["template"] = std::move(jobset);
  trainjob["spec"][kRuntimePatches].push_back(std::move(entry));
}

void each_patched_pod(Json& trainjob, const std::function<void(Json& pod)>& visit) {
  if (array_at(trainjob, {"spec", kRuntimePatches}).empty()) return;
  for (Json& entry : trainjob["spec"][kRuntimePatches])
    if (!array_at(entry, {"trainingRuntimeSpec", "template", "spec", "replicatedJobs"}).empty())
      for (Json& job : entry["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"])
        if (find(job, {"template", "spec", "template"})) visit(job["template"]["spec"]["template"]);
}

std::optional<Json> older_trainjob(const Json& trainjob, const Error& rejection) {
  if (string_at(trainjob, {"kind"}) != "TrainJob" || rejection.http_status != 400) return {};
  const std::string text = rejection.message + " " + rejection.why;
  for (const LateField& field : kLateFields)
    if (contains(text, "unknown field \"spec.") && contains(text, "." + std::string(field.name) + "\""))
      throw usage_error(
          std::string(field.flag) + ": this cluster's Kubeflow Trainer is too old",
          "the field for this flag was added to TrainJob in version " + std::string(field.since),
          "leave out the flag and set the field in the runtime, or update Kubeflow Trainer");
  const auto is_unknown = [&](const char* field) {
    return contains(text, "unknown field \"spec." + std::string(field) + "\"");
  };
  if (is_unknown(kRuntimePatches)) return in_2_1(trainjob);
  if (is_unknown(kPodTemplateOverrides)) {
    if (any_metadata(trainjob, "annotations"))
      throw usage_error(
          "--topology: this cluster's Kubeflow Trainer is too old",
          "version 2.0 has no field for annotations of a TrainJob's pods",
          "leave out the flag and set the annotation in the runtime, or update Kubeflow Trainer");
    return in_2_0(trainjob);
  }
  return {};
}

bool lost_labels_of_pods(const Json& sent, const Json& stored) {
  return string_at(sent, {"kind"}) == "TrainJob" && any_metadata(sent, "labels") &&
         !any_metadata(stored, "labels");
}

}  // namespace kml::render
