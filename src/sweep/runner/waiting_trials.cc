#include "sweep/runner/waiting_trials.h"

#include <algorithm>

#include "kml/engine/watching/wait_without_pods.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep,
                                                  const std::vector<std::vector<std::string>>& groups,
                                                  bool is_indexed) {
  const kube::ListOptions pending{.label_selector = std::string(api::kSweep) + "=" + sweep,
                                  .field_selector = "status.phase=Pending"};
  std::map<std::string, std::string> causes;
  for (const Json& pod : client.list(*api::find_kind("v1", "Pod"), namespace_name, pending).items) {
    const std::string key = job::job_key_of_pod(pod), cause = job::view_of_pod(pod).cause;
    std::string job = job::parts_of_key(key).name;
    const bool is_index = !find(pod, {"metadata", "labels", api::kTrial});
    if (is_index) job += "-" + api::label_of(pod, api::kCompletionIndex);
    if (!cause.empty()) causes[job] = cause;
  }
  const auto has_no_pod = [&](const std::string& job) { return !causes.contains(job); };
  for (const std::vector<std::string>& jobs : groups) {
    const auto one = std::find_if(jobs.begin(), jobs.end(), has_no_pod);
    if (one == jobs.end()) continue;
    const auto cause = engine::wait_without_pods(client, namespace_name,
                                                 is_indexed ? one->substr(0, one->rfind('-')) : *one);
    for (const std::string& job : jobs)
      if (cause && has_no_pod(job)) causes[job] = *cause;
  }
  return causes;
}

}  // namespace kml::sweep
