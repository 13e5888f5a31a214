#include "job/preflight/planned_pods.h"

#include <algorithm>

#include "job/render/trainjob.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

void each_planned_pod(const Json& object, const std::function<void(const Json& pod, int count)>& visit) {
  if (api::kind_name(object) != "TrainJob") return each_pod_template(object, visit);
  try {
    visit(render::pod_template_of(object),
          static_cast<int>(int_at(object, {"spec", "trainer", "numNodes"}, 1)));
  } catch (const Json::exception&) {
    // The server reports a field of the wrong type when the TrainJob is created.
  }
}

std::vector<std::string> volcano_queues_of(const Json& object) {
  std::vector<std::string> queues;
  const auto add = [&](const std::string& queue) {
    if (!queue.empty() && std::find(queues.begin(), queues.end(), queue) == queues.end())
      queues.push_back(queue);
  };
  if (api::api_version_of(object).starts_with("batch.volcano.sh/")) add(string_at(object, {"spec", "queue"}));
  each_pod_template(object, [&](const Json& pod, int) {
    if (string_at(pod, {"spec", "schedulerName"}) != "volcano") return;
    add(api::annotation_of(pod, api::kVolcanoQueueName));
    add(string_at(object, {"spec", "runPolicy", "schedulingPolicy", "queue"}));
  });
  return queues;
}

}  // namespace kml::job
