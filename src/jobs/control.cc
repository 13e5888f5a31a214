#include "kml/jobs/control.h"

#include "kml/api/labels.h"
#include "kml/core/clock.h"
#include "kml/jobs/find.h"
#include "kml/jobs/job_view.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

namespace {

bool is_pytorch(const Json& job) {
  return string_at(job, {"kind"}) == "PyTorchJob";
}

/// A patch of the fields that a Job has in `spec` and a PyTorchJob in `spec.runPolicy`.
Json run_policy(const Json& job, Json fields) {
  return is_pytorch(job) ? Json{{"spec", {{"runPolicy", std::move(fields)}}}}
                         : Json{{"spec", std::move(fields)}};
}

void patch(kube::Client& client, const Json& job, const Json& change) {
  client.patch(client.kind_of(job), string_at(job, {"metadata", "namespace"}),
               string_at(job, {"metadata", "name"}), kube::PatchType::merge, change);
}

}  // namespace

void set_suspended(kube::Client& client, const Json& job, bool suspended) {
  patch(client, job, run_policy(job, {{"suspend", suspended}}));
}

bool cancel(kube::Client& client, const Json& job) {
  if (has_ended(state_of(job, false))) return false;
  const std::string namespace_name = string_at(job, {"metadata", "namespace"});
  const api::ResourceKind& pod_kind = *api::find_kind("v1", "Pod");
  std::vector<std::string> started;
  for (const Json& pod : client.list(pod_kind, namespace_name, {pod_selector(job), {}}).items)
    if (string_at(pod, {"status", "phase"}) == "Running" && job_key_of_pod(pod) == job_key(job))
      started.push_back(string_at(pod, {"metadata", "name"}));

  Json change = run_policy(job, {{"backoffLimit", 0}});
  if (started.empty()) change.merge_patch(run_policy(job, {{"suspend", true}}));
  change["metadata"]["annotations"][std::string(api::kCancelled)] = rfc3339(system_clock().now());
  patch(client, job, change);

  for (const std::string& pod : started) {
    try {
      client.patch(pod_kind, namespace_name, pod, kube::PatchType::merge,
                   {{"spec", {{"activeDeadlineSeconds", 1}}}});
    } catch (const Error& error) {
      if (error.http_status != 404) throw;  // it has just ended by itself
    }
  }
  return true;
}

void remove(kube::Client& client, const Json& job) {
  client.remove(client.kind_of(job), string_at(job, {"metadata", "namespace"}),
                string_at(job, {"metadata", "name"}),
                {kube::Propagation::background, {}, string_at(job, {"metadata", "uid"})});
}

}  // namespace kml::jobs
