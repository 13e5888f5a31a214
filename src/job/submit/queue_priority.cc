#include "job/submit/queue_priority.h"

#include <map>
#include <string>

#include "job/capacity/kueue_api.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

// https://kueue.sigs.k8s.io/docs/concepts/workload_priority_class
constexpr const char* kPriorityLabel = "kueue.x-k8s.io/priority-class";

/// The priority class of the job's pods; empty if the job is not in a queue.
std::string class_in_queue(const Json& object) {
  std::string name;
  if (!is_job(object) || api::label_of(object, api::kKueueQueue).empty()) return name;
  each_pod_template(object, [&](const Json& pod, int) {
    if (name.empty()) name = api::priority_class_in(api::spec_of(pod));
  });
  return name;
}

bool is_only_for_workloads(kube::Client& client, const std::string& name) {
  const auto found = client.try_get(*api::find_kind("scheduling.k8s.io/v1", "PriorityClass"), "", name);
  const Error* missing = std::get_if<Error>(&found);
  if (!missing || missing->http_status != 404) return false;
  try {
    return client.get_if_exists(KueueApi(client).workload_priority_class(), "", name).has_value();
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
    return false;
  }
}

}  // namespace

void use_queue_priorities(kube::Client& client, std::vector<Json>& objects) {
  std::map<std::string, bool> known;
  for (Json& object : objects) {
    const std::string name = class_in_queue(object);
    if (name.empty()) continue;
    const auto [entry, is_new] = known.try_emplace(name, false);
    if (is_new) entry->second = is_only_for_workloads(client, name);
    if (!entry->second) continue;
    object["metadata"]["labels"][kPriorityLabel] = name;
    each_pod_template(object, [](Json& pod, int) { pod["spec"].erase("priorityClassName"); });
  }
}

}  // namespace kml::job
