#include "sweep/runner/waiting_trials.h"

#include <algorithm>

#include "kml/engine/watching/wait_without_pods.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::sweep {

namespace {

/// The name of the pod's trial.
std::string trial_of(const Json& pod) {
  const std::string job = job::parts_of_key(job::job_key_of_pod(pod)).name;
  const bool is_index = !find(pod, {"metadata", "labels", api::kTrial});
  return is_index ? job + "-" + api::label_of(pod, api::kCompletionIndex) : job;
}

}  // namespace

std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep,
                                                  const std::vector<std::vector<std::string>>& groups,
                                                  bool is_indexed) {
  std::map<std::string, std::string> causes;
  const auto add = [&](const std::string& phase, const auto& is_wanted) {
    const kube::ListOptions in_phase{.label_selector = std::string(api::kSweep) + "=" + sweep,
                                     .field_selector = "status.phase=" + phase};
    for (const Json& pod : client.list(*api::find_kind("v1", "Pod"), namespace_name, in_phase).items)
      if (const std::string cause = job::view_of_pod(pod).cause; !cause.empty() && is_wanted(pod))
        causes[trial_of(pod)] = cause;
  };
  add("Pending", [](const Json&) { return true; });
  if (!groups.empty() && !groups[0].empty()) add("Running", job::is_on_lost_node);
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
