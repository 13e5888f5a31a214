#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

/// The kinds of jobs that kml knows without a description: Job, PyTorchJob, MPIJob, TrainJob and JobSet.
/// Every cluster has Job.
std::span<const api::ResourceKind* const> job_kinds();
/// Whether the kind is one of job_kinds() or described_kinds().
bool is_job_kind(const api::ResourceKind& kind);
bool is_job(const Json& object);
/// Whether the object is a Job of Kubernetes itself; Volcano has a kind with that name, too.
bool is_plain_job(const Json& object);
/// The job's kind as users see it: "Job", "VolcanoJob".
std::string shown_kind(const Json& job);
/// The kind of job for which shown_kind() is `name`; nullptr if there is none.
const api::ResourceKind* kind_shown_as(std::string_view name);
/// Whether the object is not a job in its own right, because another kind of job has created it (an MPIJob's
/// launcher, a JobSet's Jobs, a TrainJob's JobSet), or because it guards a schedule (allow_single_start()).
bool is_part_of_job(const Json& object);

/// Calls `visit` with each PodTemplateSpec (or the pod itself), and with the number of its pods that run at
/// the same time. Does nothing for kinds without pod templates, such as TrainJob. Of the kinds that kml does
/// not know, it only visits those of the training operator (tfReplicaSpecs and so on).
void each_pod_template(const Json& object, const std::function<void(const Json& pod, int count)>& visit);
void each_pod_template(Json& object, const std::function<void(Json& pod, int count)>& visit);

/// How many GPUs the scheduler reserves for a pod: the greater of the number that its init containers need
/// and the number that the pod needs after them. Includes GPUs of all vendors, whole cards and slices, and
/// GPUs that kml claims for the pod.
long long gpus_of_pod(const Json& pod_spec);
/// How many GPUs each node of a TrainJob has; a TrainJob has no pod template.
long long gpus_of_trainer(const Json& train_job);

/// A name such as "train-x7f2q": the base, shortened to keep a valid DNS label, and a suffix of five letters
/// or digits.
std::string name_with_suffix(std::string base, const std::string& suffix);
/// The base with a random suffix.
std::string drawn_name(const std::string& base);
/// The base of a name that looks generated. Any other name is unchanged.
std::string base_of_drawn_name(const std::string& name);

/// The name of the Secret with a submit's secret variables.
std::string secret_object_name(const std::string& submit_id);

/// The prefix for the names of Secrets with code.
inline constexpr std::string_view kCodeSecretPrefix = "kml-code-";
bool is_code_secret(std::string_view name);

}  // namespace kml::job
