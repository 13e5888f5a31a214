#include "jobs/watching/kept_object.h"

#include "kml/api/pod.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

constexpr const char* kForNodes[] = {"args",         "command",
                                     "env",          "envFrom",
                                     "volumeMounts", "imagePullPolicy",
                                     "lifecycle",    "terminationMessagePath",
                                     "startupProbe", "terminationMessagePolicy"};

void drop_fields_for_nodes(Json& pod) {
  if (!pod.contains("spec")) return;  // of a deleted pod, only the uid may be known
  for (const char* list : {"containers", "initContainers"})
    if (const auto containers = pod["spec"].find(list); containers != pod["spec"].end())
      for (Json& container : *containers)
        for (const char* field : kForNodes) container.erase(field);
}

}  // namespace

Json kept_job(Json job) {
  job["metadata"].erase("managedFields");
  each_pod_template(job, [](Json& pod, int) {
    drop_fields_for_nodes(pod);
    pod["spec"].erase("volumes");
  });
  return job;
}

Json kept_pod(Json pod) {
  if (!api::node_of(pod).empty()) {
    pod["metadata"].erase("managedFields");
    pod["spec"].erase("volumes");
  }
  drop_fields_for_nodes(pod);
  return pod;
}

}  // namespace kml::jobs
