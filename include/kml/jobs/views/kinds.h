#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// The kinds that kml calls a job: Job, PyTorchJob, MPIJob, TrainJob and JobSet. All but Job may be missing
/// on a cluster.
std::span<const api::ResourceKind* const> job_kinds();
bool is_job(const Json& object);
/// Whether a job of another kind made it: an MPIJob's launcher, a JobSet's Jobs, a TrainJob's JobSet.
bool is_part_of_job(const Json& object);

/// Calls `visit` with each PodTemplateSpec (a pod itself counts as one) and how many pods it stands for at
/// once. Nothing for kinds that have none, or that kml does not know.
void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit);
void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit);

/// Selects a job's pods.
std::string pod_selector(const Json& job);

/// "Job/name", "PyTorchJob/name" and so on of the job that a pod is of; empty if it is of none. A
/// TrainJob's pods are those of the JobSet that it makes, and know nothing of it.
std::string job_key_of_pod(const Json& pod);
/// What job_key_of_pod() says of the job's pods.
std::string pods_key(const Json& job);
bool has_pod(const Json& job, const Json& pod);

/// "Job/name" of the job itself.
std::string job_key(const Json& job);

/// What a job's pods ask for: GPUs of any vendor, whole cards and slices alike.
long long gpus_of_pod(const Json& pod_spec);
/// The same for each node of a TrainJob, which has no pod template.
long long gpus_of_trainer(const Json& train_job);

/// "train-x7f2q": the base, cut where the whole would be longer than a DNS label, and a suffix of five
/// letters.
std::string name_with_suffix(std::string base, const std::string& suffix);
/// With a random suffix.
std::string drawn_name(const std::string& base);
/// The base of such a name again; any other name as it is.
std::string base_of_drawn_name(const std::string& name);

/// The Secret of a submit's secret variables.
std::string secret_object_name(const std::string& submit_id);

/// Begins the names of the Secrets that hold code.
inline constexpr std::string_view kCodeSecretPrefix = "kml-code-";
bool is_code_secret(std::string_view name);

}  // namespace kml::jobs
