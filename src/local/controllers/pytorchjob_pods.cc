#include "local/controllers/pytorchjob_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/controllers/master_port.h"
#include "local/controllers/pod_template.h"
#include "local/scheduling/gang.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr const char* kAddress = "127.0.0.1";

/// The value of spec.nprocPerNode: a number, "auto", "cpu" or "gpu"; empty if it is not set.
std::string processes_per_node(const Json& job) {
  const Json* value = find(job, {"spec", "nprocPerNode"});
  if (!value) return {};
  return value->is_string() ? value->get<std::string>() : value->dump();
}

void set_environment(Json& pod, const Json& job, const std::string& type, int index) {
  auto set = [&](std::string_view name, const std::string& value) {
    set_variable(pod, name, {{"value", value}});
  };
  const int masters = replica_count(job, "Master"), workers = replica_count(job, "Worker");
  const std::string port = annotation_of(job, kMasterPort), processes = processes_per_node(job);
  set("PYTHONUNBUFFERED", "1");
  if (!processes.empty()) set("PET_NPROC_PER_NODE", processes);
  if (const Json* elastic = find(job, {"spec", "elasticPolicy"})) {
    set("PET_RDZV_ENDPOINT", fmt::format("{}:{}", kAddress, port));
    set("PET_RDZV_BACKEND", string_at(*elastic, {"rdzvBackend"}, "c10d"));
    set("PET_NNODES", fmt::format("{}:{}", int_at(*elastic, {"minReplicas"}, workers),
                                  int_at(*elastic, {"maxReplicas"}, workers)));
    return;
  }
  if (masters == 0) return;
  // RANK is the rank of the pod, although WORLD_SIZE is the number of processes. The training operator does
  // the same.
  const int rank = type == "Master" ? index : index + masters;
  const int each = std::max(1, std::atoi(processes.c_str()));
  for (const char* name : {"MASTER_ADDR", "PET_MASTER_ADDR"}) set(name, kAddress);
  for (const char* name : {"MASTER_PORT", "PET_MASTER_PORT"}) set(name, port);
  set("WORLD_SIZE", std::to_string((masters + workers) * each));
  set("PET_NNODES", std::to_string(masters + workers));
  for (const char* name : {"RANK", "PET_NODE_RANK"}) set(name, std::to_string(rank));
}

}  // namespace

int replica_count(const Json& job, const std::string& type) {
  const Json& replicas = api::replicas_of(job);
  return replicas.contains(type) ? static_cast<int>(api::replica_count_in(replicas[type], 1)) : 0;
}

Json pytorchjob_pod(const Json& job, const std::string& type, int index, size_t gang_size) {
  const Json& replica = api::replicas_of(job).at(type);
  const std::string name = fmt::format("{}-{}-{}", name_of(job), lower(type), index);
  Json pod = pod_from_template(api::template_in(replica), job, name);
  api::set_label(pod, api::kTrainingJobName, name_of(job));
  api::set_label(pod, api::kTrainingOperatorName, "pytorchjob-controller");
  api::set_label(pod, api::kReplicaType, lower(type));
  api::set_label(pod, api::kReplicaIndex, std::to_string(index));
  if (type == "Master") api::set_label(pod, "training.kubeflow.org/job-role", "master");
  const std::string policy = api::restart_policy_in(replica, "OnFailure");
  // With the policy ExitCode, the operator decides about restarts, so the kubelet must not restart the
  // container.
  pod["spec"]["restartPolicy"] = policy == "ExitCode" ? "Never" : policy;
  set_gang(pod, gang_size);
  set_environment(pod, job, type, index);
  return pod;
}

}  // namespace kml::local
