#include "pipeline/runner/step_pod.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::pipeline {

Json program_volume(const StepPod& what) {
  constexpr int kMode = 0555;
  if (!what.bucket)
    return {{"name", "kml-step"}, {"configMap", {{"name", what.program}, {"defaultMode", kMode}}}};
  Json sources = Json::array({{{"configMap", {{"name", what.program}}}}});
  const auto add = [&](const std::string& name, std::string_view key, const std::string& path) {
    const Json items = Json::array({{{"key", key}, {"path", path}}});
    sources.push_back({{"configMap", {{"name", name}, {"items", items}}}});
  };
  const std::vector<std::string>& parts = what.bucket->programs;
  for (size_t i = 0; i < parts.size(); ++i) add(parts[i], kPartKey, fmt::format("s3/{:02}", i));
  if (!what.bucket->authorities.empty())
    add(what.bucket->authorities, kAuthoritiesKey, std::string(kAuthoritiesKey));
  return {{"name", "kml-step"}, {"projected", {{"sources", std::move(sources)}, {"defaultMode", kMode}}}};
}

namespace {

constexpr const char* kRank = "KML_STEP_RANK";
constexpr const char* kUsualMessage = "/dev/termination-log";

/// The label that contains the pod's rank, for kinds whose pods do not have it in their environment.
const char* rank_label(const std::string& kind) {
  if (kind == "PyTorchJob") return "training.kubeflow.org/replica-index";
  return kind == "JobSet" ? "jobset.sigs.k8s.io/job-index" : nullptr;
}

std::vector<std::string> words_of(const StepPod& what, const Json& container, bool reports) {
  std::vector<std::string> words = {std::string(kStepPath)};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  bool are_packed = false;
  for (const StepPod::Input& input : what.inputs) {
    add({"--input", input.name, input.digest, input.path});
    are_packed = are_packed || !input.secrets.empty();
  }
  if (are_packed) add({"--packed", "/kml/inputs"});
  if (what.bucket) {
    add({"--bucket", what.bucket->url, "/kml/step/s3"});
    for (const std::string& variable : what.bucket->variables) add({"--variable", variable});
  }
  for (const StepPod::Output& output : what.outputs)
    add({output.is_optional ? "--optional" : "--output", output.kind, output.name, output.path});
  if (reports && !what.outputs.empty()) {
    add({"--rank", "JOB_COMPLETION_INDEX", "--rank", kRank});
    add({"--message", string_at(container, {"terminationMessagePath"}, kUsualMessage)});
    add({"--report", what.claim.empty() && !what.bucket ? "trees" : "digests"});
  }
  words.emplace_back("--");
  return words;
}

Json input_sources(const StepPod& what) {
  Json sources = Json::array();
  for (const StepPod::Input& input : what.inputs)
    for (size_t i = 0; i < input.secrets.size(); ++i) {
      const Json items = Json::array({{{"key", kPartKey}, {"path", fmt::format("{}/{:02}", input.name, i)}}});
      sources.push_back({{"secret", {{"name", input.secrets[i]}, {"items", items}}}});
    }
  return sources;
}

/// The name of the pod's volume for this claim; a new name if it has none. If a pod has two volumes for the
/// same claim, the kubelet never finishes mounting them (seen in 1.34: the pod stays in ContainerCreating).
std::string volume_of_claim(const std::string& claim, Json& volumes) {
  for (const Json& volume : volumes)
    if (api::claim_name_of(volume) == claim) return string_at(volume, {"name"});
  volumes.push_back({{"name", "kml-store"}, {"persistentVolumeClaim", {{"claimName", claim}}}});
  return "kml-store";
}

void add_volumes(const StepPod& what, Json& pod, Json& container) {
  Json& volumes = pod["volumes"];
  Json& mounts = container["volumeMounts"];
  volumes.push_back(program_volume(what));
  mounts.push_back({{"name", "kml-step"}, {"mountPath", "/kml/step"}, {"readOnly", true}});
  volumes.push_back({{"name", "kml-data"}, {"emptyDir", Json::object()}});
  mounts.push_back({{"name", "kml-data"}, {"mountPath", "/kml/data"}});
  if (!what.claim.empty()) {
    const std::string name = volume_of_claim(what.claim, volumes);
    mounts.push_back({{"name", name}, {"mountPath", "/kml/store"}});
    mounts.push_back({{"name", name}, {"mountPath", "/kml/made"}, {"readOnly", true}});
  }
  Json sources = input_sources(what);
  if (sources.empty()) return;
  volumes.push_back({{"name", "kml-inputs"}, {"projected", {{"sources", std::move(sources)}}}});
  mounts.push_back({{"name", "kml-inputs"}, {"mountPath", "/kml/inputs"}, {"readOnly", true}});
}

void add_rank(const std::string& kind, Json& container) {
  if (const char* label = rank_label(kind))
    container["env"].push_back(
        {{"name", kRank},
         {"valueFrom", {{"fieldRef", {{"fieldPath", fmt::format("metadata.labels['{}']", label)}}}}}});
}

void put_into_pod(const StepPod& what, const std::string& kind, Json& pod, bool reports) {
  Json& spec = pod["spec"];
  Json& container = spec["containers"][0];
  if (api::command_of(container).empty())
    throw usage_error("the job's container has no command",
                      "kml-step must run the command, and does not know the default command of the image",
                      "give the command in `command:`");
  Json words = words_of(what, container, reports);
  for (const char* part : {"command", "args"})
    for (const Json& word : array_at(container, {part})) words.push_back(word);
  container["command"] = std::move(words);
  container.erase("args");
  add_volumes(what, spec, container);
  add_rank(kind, container);
  // kml passes on the step's outputs, so the step needs no rights on the cluster unless it asks for some.
  if (!spec.contains("serviceAccountName") && !spec.contains("automountServiceAccountToken"))
    spec["automountServiceAccountToken"] = false;
}

}  // namespace

void put_into_pods(const StepPod& what, Json& job) {
  const std::string kind = api::kind_name(job);
  bool is_first = true;
  job::each_pod_template(job, [&](Json& pod, int) {
    if (is_first || kind != "MPIJob") put_into_pod(what, kind, pod, is_first);
    is_first = false;
  });
  if (is_first)
    throw usage_error("a step's job cannot be a " + kind, "its pods are made from a template on the cluster",
                      "use -t job, job-indexed, pytorchjob, mpijob or jobset");
}

}  // namespace kml::pipeline
