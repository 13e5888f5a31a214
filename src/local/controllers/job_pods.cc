#include "local/controllers/job_pods.h"

#include <fmt/format.h>

#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "local/controllers/job_spec.h"
#include "local/controllers/master_port.h"
#include "local/controllers/pod_template.h"
#include "local/events/attempts.h"
#include "local/scheduling/gang.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr std::string_view kIndexFailures = "batch.kubernetes.io/job-index-failure-count";

int64_t failures_in(const Json& job, const std::vector<ObjectPtr>& failed) {
  int64_t most = 0;
  for (const ObjectPtr& pod : failed)
    if (!was_ended_by_controller(*pod) && judge_failure(job, *pod).action != FailureVerdict::ignore)
      most = std::max(most, index_failures(*pod) + 1);
  return most;
}

/// How many of the job's pods must be able to start together; fewer if fewer remain.
int64_t gang_limit(const Json& job) {
  const int64_t parallelism = api::parallelism_of(job, 1);
  const Json* gang = api::native_gang_of(job);
  return gang ? std::min<int64_t>(parallelism, int_at(*gang, {"minCount"}, parallelism)) : parallelism;
}

}  // namespace

Json job_pod(const Json& job, int index, const std::vector<ObjectPtr>& failed, const Store& store) {
  const std::string job_name = name_of(job);
  const std::string prefix = index < 0 ? job_name : fmt::format("{}-{}", job_name, index);
  Json pod =
      pod_from_template(api::pod_template_of(job), job, free_pod_name(prefix, namespace_of(job), store));
  pod["metadata"]["generateName"] = prefix + "-";
  if (!has_finalizer(pod, kTrackingFinalizer)) pod["metadata"]["finalizers"].push_back(kTrackingFinalizer);
  for (std::string_view key : {api::kJobName, api::kLegacyJobName}) api::set_label(pod, key, job_name);
  for (std::string_view key : {api::kControllerUid, api::kLegacyControllerUid})
    api::set_label(pod, key, uid_of(job));
  if (index >= 0) {
    const std::string key(api::kCompletionIndex), text = std::to_string(index);
    api::set_label(pod, key, text);
    api::set_annotation(pod, key, text);
    if (job.at("spec").contains("backoffLimitPerIndex"))
      api::set_annotation(pod, kIndexFailures, std::to_string(failures_in(job, failed)));
    pod["spec"]["hostname"] = prefix;
    const std::string field = fmt::format("metadata.labels['{}']", key);
    set_variable(pod, "JOB_COMPLETION_INDEX", {{"valueFrom", {{"fieldRef", {{"fieldPath", field}}}}}});
  }
  if (has_named_pods(job)) meet_on_loopback(pod, job);
  if (api::is_gang(job)) {
    const int64_t left = api::completions_of(job, 1) - api::succeeded_pods(job);
    set_gang(pod, static_cast<size_t>(std::max<int64_t>(1, std::min(left, gang_limit(job)))));
  }
  return pod;
}

int completion_index(const Json& pod) {
  const std::string text = annotation_of(pod, api::kCompletionIndex);
  return text.empty() ? -1 : std::atoi(text.c_str());
}

int64_t index_failures(const Json& pod) {
  return std::atoll(annotation_of(pod, kIndexFailures).c_str());
}

bool was_ended_by_controller(const Json& pod) {
  return !annotation_of(pod, kEndedBy).empty();
}

}  // namespace kml::local
