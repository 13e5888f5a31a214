#include "job/render/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "job/spec/json_path.h"
#include "kml/job/kinds/job_kind.h"

namespace kml::render {

namespace {

const std::string kJob = "batch/v1 Job", kCronJob = "batch/v1 CronJob", kPod = "v1 Pod",
                  kMpiJob = "kubeflow.org/v2beta1 MPIJob", kJobSet = "jobset.x-k8s.io/v1alpha2 JobSet",
                  kTrainJob = "trainer.kubeflow.org/v1alpha1 TrainJob",
                  kVolcanoJob = "batch.volcano.sh/v1alpha1 Job", kMpiReplicas = "mpiReplicaSpecs";

std::string kind_of(const Json& object) {
  return string_at(object, {"apiVersion"}) + " " + string_at(object, {"kind"});
}

/// Whether a name from the manifest is a plain word. No other name can be a field of the training operator,
/// or may become part of a path.
bool is_word(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// The field with the replicas: "pytorchReplicaSpecs" in a PyTorchJob, "tfReplicaSpecs" in a TFJob. The
/// training operator's other kinds have the same structure (kubeflow.org/v1, ReplicaSpec and RunPolicy), and
/// so does the MPI operator's v2beta1.
std::string replica_specs(const Json& object) {
  if (string_at(object, {"apiVersion"}) != "kubeflow.org/v1" && kind_of(object) != kMpiJob) return {};
  for (const auto& [key, value] : object_at(object, {"spec"}).items())
    if (key.ends_with("ReplicaSpecs") && is_word(key) && value.is_object()) return key;
  return {};
}

Workload job_at(const std::string& prefix) {
  return {.metadata = prefix + "metadata",
          .retries = prefix + "spec.backoffLimit",
          .time_limits = {prefix + "spec.activeDeadlineSeconds"},
          .ttl = prefix + "spec.ttlSecondsAfterFinished",
          .suspend = prefix + "spec.suspend",
          .tasks = prefix + "spec"};
}

PodGroup job_pods(const std::string& spec) {
  return {.path = spec + ".template",
          .replicas = {spec + ".completions", spec + ".parallelism"},
          .count = PodGroup::Count::nodes,
          .group = {},
          .without = {},
          .mark = {}};
}

/// A group of replicas. The master is a single pod; the workers are the remaining nodes.
PodGroup replicas_at(const std::string& path, bool is_worker) {
  PodGroup group;
  group.path = path + ".template";
  if (!is_worker) return group;
  group.replicas = {path + ".replicas"};
  group.count = PodGroup::Count::others;
  group.group = path;
  return group;
}

/// The replicas of an MPIJob. The workers are the nodes, and run an SSH server. The launcher runs the
/// command, but does not compute.
PodGroup mpi_replicas_at(const std::string& path, bool is_worker) {
  PodGroup group;
  group.path = path + ".template";
  group.without = {"gpus", "cpu", "memory", "shm"};
  if (!is_worker) return group;
  group.replicas = {path + ".replicas"};
  group.count = PodGroup::Count::nodes;
  group.without = {"command"};
  return group;
}

std::vector<std::string> jobs_of_set(const Json& object) {
  std::vector<std::string> specs;
  for (size_t i = 0; i < array_at(object, {"spec", "replicatedJobs"}).size(); ++i)
    specs.push_back(fmt::format("spec.replicatedJobs[{}].template.spec", i));
  return specs;
}

Workload job_set(const Json& object) {
  Workload workload{.metadata = "metadata",
                    .retries = "spec.failurePolicy.maxRestarts",
                    .time_limits = {},
                    .ttl = "spec.ttlSecondsAfterFinished",
                    .suspend = "spec.suspend",
                    .tasks = ""};
  for (const std::string& job : jobs_of_set(object))
    workload.time_limits.push_back(job + ".activeDeadlineSeconds");
  return workload;
}

/// If there are several jobs, kml cannot decide to which of them --nodes applies.
std::vector<PodGroup> job_set_pods(const Json& object) {
  std::vector<PodGroup> groups;
  for (const std::string& job : jobs_of_set(object)) {
    groups.push_back(job_pods(job));
    const std::string replicas = job.substr(0, job.find(']') + 1) + ".replicas";
    groups.back().factors = {groups.back().replicas.front(), replicas};
  }
  if (groups.size() > 1)
    for (PodGroup& group : groups) group.count = PodGroup::Count::none;
  return groups;
}

/// With several templates, kml cannot decide which of them gets --nodes.
std::vector<PodGroup> described_pods(const job::JobKind& kind, const Json& object) {
  std::vector<PodGroup> groups;
  for (const job::JobKind::Templates& templates : kind.templates)
    for (const std::string& place : templates.path.places(object)) {
      if (!spec::parse_path(place)) continue;  // a key of the manifest is not a plain word
      PodGroup group;
      group.path = place;
      group.is_spec = templates.is_spec;
      const size_t parent = templates.is_spec ? place.size() : place.rfind('.');
      for (const std::string& count : templates.counts)
        if (const std::string path = place.substr(0, parent) + "." + count;
            parent != std::string::npos && spec::parse_path(path))
          group.factors.push_back(path);
      if (group.factors.size() == 1) group.replicas.swap(group.factors);
      groups.push_back(std::move(group));
    }
  if (groups.size() == 1 && !groups[0].replicas.empty()) groups[0].count = PodGroup::Count::nodes;
  return groups;
}

std::optional<Workload> described_workload(const Json& object) {
  const job::JobKind* kind = job::described_kind_of(object);
  if (!kind) return {};
  const auto limits = kind->time_limit.empty() ? std::vector<std::string>() : std::vector{kind->time_limit};
  return Workload{.metadata = "metadata",
                  .retries = kind->retries,
                  .time_limits = limits,
                  .ttl = kind->ttl,
                  .suspend = "",
                  .tasks = "",
                  .queue = kind->queue};
}

PodGroup trainer_pods() {
  PodGroup group;
  group.path = "spec.trainer";
  group.replicas = {"spec.trainer.numNodes"};
  group.count = PodGroup::Count::nodes;
  return group;
}

}  // namespace

std::optional<Workload> workload_of(const Json& object) {
  const std::string kind = kind_of(object);
  if (kind == kJob) return job_at("");
  if (kind == kCronJob) return job_at("spec.jobTemplate.");
  // Kueue holds a plain pod back by a scheduling gate, which its webhook adds.
  if (kind == kPod) return Workload{"metadata", "", {"spec.activeDeadlineSeconds"}, "", "", ""};
  if (kind == kJobSet) return job_set(object);
  if (kind == kTrainJob)
    return Workload{"metadata", "", {"spec.activeDeadlineSeconds"}, "", "spec.suspend", ""};
  if (kind == kVolcanoJob)
    return Workload{.metadata = "metadata",
                    .retries = "spec.maxRetry",
                    .time_limits = {},
                    .ttl = "spec.ttlSecondsAfterFinished",
                    .suspend = "",
                    .tasks = "",
                    .volcano_queues = {"spec.queue"},
                    .volcano_priority = "spec.priorityClassName",
                    .retries_are_attempts = true};
  if (replica_specs(object).empty()) return described_workload(object);
  return Workload{.metadata = "metadata",
                  .retries = "spec.runPolicy.backoffLimit",
                  .time_limits = {"spec.runPolicy.activeDeadlineSeconds"},
                  .ttl = "spec.runPolicy.ttlSecondsAfterFinished",
                  .suspend = "spec.runPolicy.suspend",
                  .tasks = ""};
}

std::vector<PodGroup> pod_groups_of(const Json& object) {
  const std::string kind = kind_of(object);
  if (kind == kJob) return {job_pods("spec")};
  if (kind == kCronJob) return {job_pods("spec.jobTemplate.spec")};
  if (kind == kPod) return {PodGroup{}};
  if (kind == kJobSet) return job_set_pods(object);
  if (kind == kTrainJob) return {trainer_pods()};
  if (const job::JobKind* described = job::described_kind_of(object))
    return described_pods(*described, object);
  const std::string specs = replica_specs(object);
  std::vector<PodGroup> groups;
  for (const auto& [name, value] : object_at(object, {"spec", specs}).items())
    if (is_word(name) && !name.empty())
      groups.push_back((specs == kMpiReplicas ? mpi_replicas_at : replicas_at)(
          fmt::format("spec.{}.{}", specs, name), name == "Worker"));
  return groups;
}

}  // namespace kml::render
