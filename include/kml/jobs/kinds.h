#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// The kinds that kml calls a job: batch/v1 Job and kubeflow.org/v1 PyTorchJob.
std::span<const api::ResourceKind* const> job_kinds();
bool is_job(const Json& object);

/// Calls `visit` with each PodTemplateSpec (a pod itself counts as one) and how many pods it stands for at
/// once. Nothing for kinds that have none, or that kml does not know.
void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit);
void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit);

/// Selects a job's pods.
std::string pod_selector(const Json& job);

/// "Job/name" or "PyTorchJob/name" of the job that a pod is of; empty where it is of none.
std::string job_key_of_pod(const Json& pod);
/// The same of the job itself.
std::string job_key(const Json& job);

/// What a job's pods ask for: GPUs of any vendor, whole cards and slices alike.
long long gpus_of_pod(const Json& pod_spec);

}  // namespace kml::jobs
