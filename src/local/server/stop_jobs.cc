#include "local/server/stop_jobs.h"

#include <algorithm>

#include "kml/core/clock.h"

namespace kml::local {

namespace {

const api::ResourceKind& pod_kind() {
  static const api::ResourceKind& found = *api::find_kind("v1", "Pod");
  return found;
}

std::string namespace_of(const Json& object) {
  return string_at(object, {"metadata", "namespace"});
}

std::string name_of(const Json& object) {
  return string_at(object, {"metadata", "name"});
}

bool is_finished(const Json& job) {
  const Json& conditions = array_at(job, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    const std::string type = string_at(condition, {"type"});
    return string_at(condition, {"status"}) == "True" &&
           (type == "Complete" || type == "Succeeded" || type == "Failed");
  });
}

bool is_running(const Json& pod) {
  const std::string phase = string_at(pod, {"status", "phase"});
  return !string_at(pod, {"spec", "nodeName"}).empty() && phase != "Succeeded" && phase != "Failed";
}

}  // namespace

StopJobs::StopJobs(Store& store, std::function<void()> done) : store_(store), done_(std::move(done)) {
  store_.subscribe([this](const StoreEvent& event) {
    if (begun_ && event.kind == &pod_kind()) check();
  });
}

void StopJobs::begin() {
  for (const char* api_version : {"batch/v1", "kubeflow.org/v1"}) {
    const bool is_batch = std::string_view(api_version) == "batch/v1";
    const api::ResourceKind& kind = *api::find_kind(api_version, is_batch ? "Job" : "PyTorchJob");
    for (const ObjectPtr& job : store_.list(kind, ""))
      if (!is_finished(*job))
        store_.modify(kind, namespace_of(*job), name_of(*job), [&](Json& next) {
          (is_batch ? next["spec"] : next["spec"]["runPolicy"])["suspend"] = true;
        });
  }
  for (const ObjectPtr& pod : store_.list(pod_kind(), ""))
    if (array_at(*pod, {"metadata", "ownerReferences"}).empty() &&
        !pod->at("metadata").contains("deletionTimestamp"))
      store_.modify(pod_kind(), namespace_of(*pod), name_of(*pod), [](Json& next) {
        const std::chrono::seconds grace(int_at(next, {"spec", "terminationGracePeriodSeconds"}, 30));
        next["metadata"]["deletionTimestamp"] = rfc3339(system_clock().now() + grace);
        next["metadata"]["deletionGracePeriodSeconds"] = grace.count();
      });
  begun_ = true;
  check();
}

void StopJobs::check() {
  const std::vector<ObjectPtr> pods = store_.list(pod_kind(), "");
  if (std::none_of(pods.begin(), pods.end(), [](const ObjectPtr& pod) { return is_running(*pod); })) done_();
}

}  // namespace kml::local
