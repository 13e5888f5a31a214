#include "render/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kml::render {

namespace {

const std::string kJob = "batch/v1 Job", kCronJob = "batch/v1 CronJob", kPod = "v1 Pod";

std::string kind_of(const Json& object) {
  return string_at(object, {"apiVersion"}) + " " + string_at(object, {"kind"});
}

/// Names in paths come from the manifest: what is no plain word is no field that the training operator has.
bool is_word(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// "pytorchReplicaSpecs" of a PyTorchJob, "tfReplicaSpecs" of a TFJob; the training operator's other kinds
/// are built alike (kubeflow.org/v1, ReplicaSpec and RunPolicy).
std::string replica_specs(const Json& object) {
  if (string_at(object, {"apiVersion"}) != "kubeflow.org/v1") return {};
  for (const auto& [key, value] : object_at(object, {"spec"}).items())
    if (key.ends_with("ReplicaSpecs") && is_word(key) && value.is_object()) return key;
  return {};
}

Workload job_at(const std::string& prefix) {
  return {.metadata = prefix + "metadata",
          .retries = prefix + "spec.backoffLimit",
          .time_limit = prefix + "spec.activeDeadlineSeconds",
          .ttl = prefix + "spec.ttlSecondsAfterFinished",
          .suspend = prefix + "spec.suspend",
          .tasks = prefix + "spec"};
}

PodGroup job_pods(const std::string& spec) {
  return {.path = spec + ".template",
          .replicas = {spec + ".completions", spec + ".parallelism"},
          .count = PodGroup::Count::nodes,
          .group = {},
          .mark = {}};
}

/// One group of replicas; the master is one pod, the workers are the rest.
PodGroup replicas_at(const std::string& path, bool is_worker) {
  PodGroup group;
  group.path = path + ".template";
  if (!is_worker) return group;
  group.replicas = {path + ".replicas"};
  group.count = PodGroup::Count::others;
  group.group = path;
  return group;
}

}  // namespace

std::optional<Workload> workload_of(const Json& object) {
  const std::string kind = kind_of(object);
  if (kind == kJob) return job_at("");
  if (kind == kCronJob) return job_at("spec.jobTemplate.");
  // Kueue holds a pod back by a scheduling gate, which its webhook sets.
  if (kind == kPod) return Workload{"metadata", "", "spec.activeDeadlineSeconds", "", "", ""};
  if (replica_specs(object).empty()) return {};
  return Workload{.metadata = "metadata",
                  .retries = "spec.runPolicy.backoffLimit",
                  .time_limit = "spec.runPolicy.activeDeadlineSeconds",
                  .ttl = "spec.runPolicy.ttlSecondsAfterFinished",
                  .suspend = "spec.runPolicy.suspend",
                  .tasks = ""};
}

std::vector<PodGroup> pod_groups_of(const Json& object) {
  const std::string kind = kind_of(object);
  if (kind == kJob) return {job_pods("spec")};
  if (kind == kCronJob) return {job_pods("spec.jobTemplate.spec")};
  if (kind == kPod) return {PodGroup{}};
  const std::string specs = replica_specs(object);
  std::vector<PodGroup> groups;
  for (const auto& [name, value] : object_at(object, {"spec", specs}).items())
    if (is_word(name) && !name.empty())
      groups.push_back(replicas_at(fmt::format("spec.{}.{}", specs, name), name == "Worker"));
  return groups;
}

}  // namespace kml::render
