#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

/// The common kinds of jobs: Job, PyTorchJob, MPIJob, TrainJob and JobSet. A cluster has at least Job.
std::span<const api::ResourceKind* const> job_kinds();
/// Whether it is one of these, or one of described_kinds().
bool is_job_kind(const api::ResourceKind& kind);
bool is_job(const Json& object);
/// Whether it is a Job of Kubernetes itself; Volcano has a kind with that name, too.
bool is_plain_job(const Json& object);
/// Its kind as users see it: "Job", "VolcanoJob".
std::string shown_kind(const Json& job);
/// The kind of job that users see under that name; nullptr if there is none.
const api::ResourceKind* kind_shown_as(std::string_view name);
/// Whether it is not a separate job: another kind of job created it (an MPIJob's launcher, a JobSet's Jobs,
/// a TrainJob's JobSet), or it guards a schedule (allow_single_start()).
bool is_part_of_job(const Json& object);

/// Calls `visit` with each PodTemplateSpec (or the pod itself) and its number of simultaneous pods. Does
/// nothing for kinds without pods. Of the kinds unknown to kml, it visits those of the training operator
/// (tfReplicaSpecs and so on).
void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit);
void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit);

/// The number of GPUs that a pod requests. Counts all vendors, and both whole cards and slices.
long long gpus_of_pod(const Json& pod_spec);
/// The number of GPUs of each node of a TrainJob, which has no pod template.
long long gpus_of_trainer(const Json& train_job);

/// "train-x7f2q": the base, cut to keep a valid DNS label, and a suffix of five letters.
std::string name_with_suffix(std::string base, const std::string& suffix);
/// The base with a random suffix.
std::string drawn_name(const std::string& base);
/// The base of a generated name; any other name unchanged.
std::string base_of_drawn_name(const std::string& name);

/// The Secret of a submit's secret variables.
std::string secret_object_name(const std::string& submit_id);

/// Prefix of the names of Secrets with code.
inline constexpr std::string_view kCodeSecretPrefix = "kml-code-";
bool is_code_secret(std::string_view name);

}  // namespace kml::job
