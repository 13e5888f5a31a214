#include "engine/watching/kept_object.h"

#include <string_view>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/pod.h"

namespace kml::engine {

namespace {

constexpr const char* kForNodes[] = {"args",         "command",
                                     "env",          "envFrom",
                                     "volumeMounts", "imagePullPolicy",
                                     "lifecycle",    "terminationMessagePath",
                                     "startupProbe", "terminationMessagePolicy"};

void drop_fields_for_nodes(Json& pod) {
  if (!pod.contains("spec")) return;  // if a pod was deleted, kml may only know its uid
  for (const char* list : {"containers", "initContainers"})
    if (const auto containers = pod["spec"].find(list); containers != pod["spec"].end())
      for (Json& container : *containers)
        for (const char* field : kForNodes) container.erase(field);
}

/// A copy of the object without this member. The member may be half of the object, so copying everything and
/// then removing it would take twice as long.
Json copy_without(const Json& object, std::string_view left_out) {
  Json copy = Json::object();
  for (const auto& [name, value] : object.items())
    if (name != left_out) copy[name] = value;
  return copy;
}

Json copy_without_managed_fields(const Json& object) {
  Json copy = copy_without(object, "metadata");
  copy["metadata"] = copy_without(object_at(object, {"metadata"}), "managedFields");
  return copy;
}

}  // namespace

Json kept_job(const Json& job) {
  Json kept = copy_without_managed_fields(job);
  job::each_pod_template(kept, [](Json& pod, int) {
    drop_fields_for_nodes(pod);
    pod["spec"].erase("volumes");
  });
  return kept;
}

Json kept_pod(const Json& pod) {
  const bool has_node = !api::node_of(pod).empty();
  Json kept = has_node ? copy_without_managed_fields(pod) : pod;
  if (has_node) kept["spec"].erase("volumes");
  drop_fields_for_nodes(kept);
  return kept;
}

}  // namespace kml::engine
