#include "job/submit/server_fields.h"

#include <string>
#include <string_view>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

// pkg/registry/batch/job/strategy.go, generateSelector
constexpr std::string_view kGenerated[] = {"batch.kubernetes.io/controller-uid", "controller-uid",
                                           "batch.kubernetes.io/job-name", "job-name"};

bool has_generated_selector(const Json& job) {
  const Json& labels = object_at(job, {"spec", "selector", "matchLabels"});
  return !bool_at(job, {"spec", "manualSelector"}) &&
         (labels.contains(kGenerated[0]) || labels.contains(kGenerated[1]));
}

}  // namespace

void forget_generated_selectors(std::vector<Json>& objects) {
  for (Json& object : objects) {
    if (!is_plain_job(object) || !has_generated_selector(object)) continue;
    object["spec"].erase("selector");
    each_pod_template(object, [](Json& pod, int) {
      if (object_at(pod, {"metadata", "labels"}).empty()) return;
      for (const std::string_view label : kGenerated) pod["metadata"]["labels"].erase(std::string(label));
    });
  }
}

}  // namespace kml::job
