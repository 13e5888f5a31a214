#include "kml/jobs/waiting_trials.h"

#include "kml/api/labels.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/pod_view.h"

namespace kml::jobs {

std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep) {
  const kube::ListOptions pending{.label_selector = std::string(api::kSweep) + "=" + sweep,
                                  .field_selector = "status.phase=Pending"};
  std::map<std::string, std::string> causes;
  for (const Json& pod : client.list(*api::find_kind("v1", "Pod"), namespace_name, pending).items) {
    const std::string key = job_key_of_pod(pod), cause = view_of_pod(pod).cause;
    std::string job = key.substr(key.find('/') + 1);
    const bool is_index = !find(pod, {"metadata", "labels", api::kTrial});
    if (is_index) job += "-" + string_at(pod, {"metadata", "labels", api::kCompletionIndex});
    if (!cause.empty()) causes[job] = cause;
  }
  return causes;
}

}  // namespace kml::jobs
