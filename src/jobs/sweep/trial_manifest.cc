#include "jobs/sweep/shown_file.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/sweep/sweep_runner.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

/// Only a wish where no better node is known: then these will do.
void keep_away(Json& pod, const sweep::TrialJob& job) {
  if (job.avoid_nodes.empty()) return;
  // By their names, which the label kubernetes.io/hostname need not tell. A requirement of a field may have
  // one value (ValidateNodeFieldSelectorRequirement in k8s.io/kubernetes/pkg/apis/core/validation).
  Json not_there = Json::array();
  for (const std::string& node : job.avoid_nodes)
    not_there.push_back({{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", Json::array({node})}});
  Json& affinity = pod["spec"]["affinity"]["nodeAffinity"];
  if (!job.must_avoid) {
    affinity["preferredDuringSchedulingIgnoredDuringExecution"].push_back(
        {{"weight", 100}, {"preference", {{"matchFields", not_there}}}});
    return;
  }
  // A node has to satisfy one of the terms.
  Json& terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (terms.empty()) terms = Json::array({Json::object()});
  for (Json& term : terms)
    for (const Json& requirement : not_there) term["matchFields"].push_back(requirement);
}

}  // namespace

void add_trial_environment(Json& object, const std::string& sweep, const sweep::TrialJob& job) {
  each_pod_template(object, [&](Json& pod, int) {
    for (Json& container : pod["spec"]["containers"]) {
      Json& env = container["env"];
      if (!env.is_array()) env = Json::array();
      env.push_back({{"name", "KML_SWEEP"}, {"value", sweep}});
      env.push_back({{"name", "KML_TRIAL"}, {"value", std::to_string(job.trial)}});
      if (!job.checkpoint.empty()) env.push_back({{"name", "KML_CHECKPOINT"}, {"value", job.checkpoint}});
    }
  });
}

Json trial_manifest(const SweepRunnerOptions& options, const sweep::TrialJob& job) {
  Json object = options.manifest(job);
  Json& metadata = object["metadata"];
  metadata["name"] = job.name;
  metadata.erase("generateName");
  metadata["namespace"] = options.namespace_name;
  const Json labels = {{api::kSweep, options.sweep},           {api::kTrial, std::to_string(job.trial)},
                       {api::kRung, std::to_string(job.rung)}, {api::kAttempt, std::to_string(job.attempt)},
                       {api::kSubmitId, options.submit_id},    {api::kManagedBy, "kml"}};
  metadata["labels"].update(labels);
  metadata["annotations"][api::kParameters] = job.values.dump();
  // The sweep retries, and not Kubernetes beside it, six times by default.
  const bool is_job = api::kind_name(object) == "Job" && api::api_version_of(object) == "batch/v1";
  if (is_job && !find(object, {"spec", "backoffLimitPerIndex"})) object["spec"].emplace("backoffLimit", 0);
  add_trial_environment(object, options.sweep, job);
  each_pod_template(object, [&](Json& pod, int) {
    pod["metadata"]["labels"].update(labels);
    keep_away(pod, job);
    if (!options.file.empty())
      show_file(pod["spec"]["containers"][0], options.file_of ? options.file_of(job) : options.file);
  });
  return object;
}

}  // namespace kml::jobs
