#include <algorithm>
#include <string>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "sweep/runner/population_start.h"
#include "sweep/runner/shown_metrics.h"
#include "sweep/runner/sweep_runner.h"
#include "sweep/spec/indexed_template.h"

namespace kml::sweep {

namespace {

/// Adds the variable to all main containers of the pod.
void add_variable(Json& pod, const char* name, const std::string& value) {
  for (Json& container : pod["spec"]["containers"]) {
    Json& env = container["env"];
    if (!env.is_array()) env = Json::array();
    env.push_back({{"name", name}, {"value", value}});
  }
}

/// Keeps the pod away from nodes on which other trials failed. Unless `must_avoid` is set, this is only a
/// preference.
void keep_away(Json& pod, const TrialJob& job) {
  if (job.avoid_nodes.empty()) return;
  // Matches nodes by name, because the label kubernetes.io/hostname may be different. In matchFields, each
  // requirement can only have a single value (ValidateNodeFieldSelectorRequirement in
  // k8s.io/kubernetes/pkg/apis/core/validation).
  Json not_there = Json::array();
  for (const std::string& node : job.avoid_nodes)
    not_there.push_back({{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", Json::array({node})}});
  Json& affinity = pod["spec"]["affinity"]["nodeAffinity"];
  if (!job.must_avoid) {
    affinity["preferredDuringSchedulingIgnoredDuringExecution"].push_back(
        {{"weight", 100}, {"preference", {{"matchFields", not_there}}}});
    return;
  }
  // The requirement is added to each term, because a node only has to satisfy one of the terms.
  Json& terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (terms.empty()) terms = Json::array({Json::object()});
  for (Json& term : terms)
    for (const Json& requirement : not_there) term["matchFields"].push_back(requirement);
}

}  // namespace

void add_trial_environment(Json& object, const std::string& sweep, const TrialJob& job) {
  job::each_pod_template(object, [&](Json& pod, int) {
    add_variable(pod, "KML_SWEEP", sweep);
    add_variable(pod, "KML_TRIAL", std::to_string(job.trial));
    if (!job.checkpoint.empty()) add_variable(pod, "KML_CHECKPOINT", job.checkpoint);
  });
}

Json trial_manifest(const SweepRunnerOptions& options, const TrialJob& job) {
  Json object = options.manifest(job);
  Json& metadata = object["metadata"];
  metadata.update({{"name", job.name}, {"namespace", options.namespace_name}});
  metadata.erase("generateName");
  const Json labels = {{api::kSweep, options.sweep},           {api::kTrial, std::to_string(job.trial)},
                       {api::kRung, std::to_string(job.rung)}, {api::kAttempt, std::to_string(job.attempt)},
                       {api::kSubmitId, options.submit_id},    {api::kManagedBy, "kml"}};
  metadata["labels"].update(labels);
  // The pods of a Workflow only get these labels (Argo's field podMetadata).
  if (api::api_version_of(object).starts_with("argoproj.io/"))
    object["spec"]["podMetadata"]["labels"].update(labels);
  api::set_annotation(object, api::kParameters, job.values.dump());
  // The sweep itself retries trials. Without this, Kubernetes would retry them, too, six times by default.
  const bool is_job = api::kind_name(object) == "Job" && api::api_version_of(object) == "batch/v1";
  if (is_job && !find(object, {"spec", "backoffLimitPerIndex"})) object["spec"].emplace("backoffLimit", 0);
  add_trial_environment(object, options.sweep, job);
  bool has_pods = false;
  job::each_pod_template(object, [&](Json& pod, int) {
    pod["metadata"]["labels"].update(labels);
    keep_away(pod, job);
    if (job.parent) start_from_checkpoint(pod, job.checkpoint, *job.parent);
    const std::string& path = options.collector.path;
    if (!path.empty()) show_metrics(pod, options, options.file_of ? options.file_of(job) : path);
    has_pods = true;
  });
  if (!options.collector.path.empty() && !has_pods)
    throw usage_error(
        "a " + api::kind_name(object) + " has no pod template that kml knows",
        "metrics in " + options.collector.path + " are read by a script around the container's command",
        "print the metrics to the log, and set no metricsCollectorSpec");
  return object;
}

namespace {

/// An object can hold 1 MiB of data (ConfigMap validation). The rest is reserved for the object's other
/// fields.
constexpr size_t kMostBytes = 900 << 10;

constexpr const char* kFolder = "/kml/trials";

/// How many lines fit into one object, whichever lines these are. All objects have the same number of lines,
/// so that a shell can find its line by a division.
size_t lines_that_fit(const std::vector<std::string>& lines) {
  size_t longest = 0;
  for (const std::string& line : lines) longest = std::max(longest, line.size() + 1);
  return std::max<size_t>(1, kMostBytes / longest);
}

Json labels_of(const SweepRunnerOptions& options) {
  return {{api::kSweep, options.sweep}, {api::kSubmitId, options.submit_id}, {api::kManagedBy, "kml"}};
}

Json object_of(const SweepRunnerOptions& options, const char* version, const char* kind,
               const std::string& name, Json metadata = Json::object()) {
  metadata.update({{"name", name}, {"namespace", options.namespace_name}});
  metadata["labels"].update(labels_of(options));
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(metadata)}};
}

void limit(Json& job, const SweepSpec& spec, size_t trials) {
  const auto at_most_all = [trials](auto number) { return std::min(static_cast<size_t>(number), trials); };
  job.update({{"completions", trials},
              {"parallelism", at_most_all(spec.parallel)},
              {"completionMode", "Indexed"},
              {"backoffLimitPerIndex", spec.retries}});
  job.erase("backoffLimit");  // this limit would count the failures of all indexes together
  job.emplace("podFailurePolicy", Json{{"rules", Json::array({job::disruption_is_no_failure()})}});
  if (spec.max_failed) job["maxFailedIndexes"] = at_most_all(*spec.max_failed);
  if (const auto time = job.find("activeDeadlineSeconds"); time != job.end()) {
    job["template"]["spec"]["activeDeadlineSeconds"] = *time;  // the limit is meant for one trial
    job.erase(time);
  }
}

}  // namespace

IndexedObjects indexed_objects(const SweepRunnerOptions& options, const SweepSpec& spec,
                               const std::string& name, const std::vector<TrialJob>& jobs) {
  const IndexedTemplate indexed(spec);
  std::vector<std::string> lines;
  for (const TrialJob& job : jobs) lines.push_back(indexed.line(job));
  const size_t in_a_table = lines_that_fit(lines);
  IndexedObjects objects;
  std::vector<std::string> names;
  for (size_t at = 0; at < lines.size(); at += in_a_table) {
    names.push_back(name + "-" + options.submit_id + "-" + std::to_string(names.size()));
    Json table = object_of(options, "v1", "ConfigMap", names.back());
    std::string text;
    for (size_t i = at; i < std::min(at + in_a_table, lines.size()); ++i) text += lines[i] + "\n";
    table.update({{"immutable", true}, {"data", {{"trials", std::move(text)}}}});
    objects.tables.push_back({.object = std::move(table), .is_shared = true});
  }
  Json trial = spec.trial;
  if (!options.collector.path.empty())
    job::each_pod_template(trial,
                           [&](Json& pod, int) { show_metrics(pod, options, options.collector.path); });
  objects.job = indexed.wrapped(trial, kFolder, names, in_a_table);
  Json metadata = objects.job.value("metadata", Json::object());
  metadata.erase("generateName");
  objects.job.update(object_of(options, "batch/v1", "Job", name, std::move(metadata)));
  job::each_pod_template(objects.job, [&](Json& made, int) {
    made["metadata"]["labels"].update(labels_of(options));
    add_variable(made, "KML_SWEEP", options.sweep);
  });
  limit(objects.job["spec"], spec, jobs.size());
  return objects;
}

}  // namespace kml::sweep
