#include "jobs/queue/brief.h"

#include <initializer_list>

#include "kml/api/object.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

Json picked(const Json& object, std::initializer_list<const char*> keys) {
  Json result = Json::object();
  for (const char* key : keys)
    if (const Json* value = find(object, {key})) result[key] = *value;
  return result;
}

Json sizes_of(const Json& containers) {
  Json sizes = Json::array();
  for (const Json& container : containers) sizes.push_back(picked(container, {"resources"}));
  return sizes;
}

Json brief_spec(const Json& pod_spec) {
  Json spec = picked(pod_spec, {"activeDeadlineSeconds", "nodeSelector", "nodeName", "priority",
                                "priorityClassName", "affinity", "tolerations"});
  spec["containers"] = sizes_of(array_at(pod_spec, {"containers"}));
  return spec;
}

}  // namespace

Json brief(const Json& object) {
  Json result = picked(object, {"apiVersion", "kind", "status"});
  const Json& metadata = object_at(object, {"metadata"});
  if (api::kind_name(object) == "Pod") {
    result["metadata"] = picked(metadata, {"name", "namespace", "labels", "creationTimestamp",
                                           "deletionTimestamp", "ownerReferences"});
    result["spec"] = brief_spec(api::spec_of(object));
    result["spec"].erase("tolerations");  // each pod has some that say nothing
    return result;
  }
  result["metadata"] = picked(metadata, {"name", "namespace", "uid", "labels", "annotations",
                                         "creationTimestamp", "deletionTimestamp", "ownerReferences"});
  result["spec"] = api::spec_of(object);
  each_pod_template(result, [](Json& pod, int) { pod = {{"spec", brief_spec(api::spec_of(pod))}}; });
  return result;
}

void drop_repeated(Json& pod) {
  pod.erase("apiVersion");
  if (const auto spec = pod.find("spec"); spec != pod.end() && spec->is_object())
    if (const auto containers = spec->find("containers"); containers != spec->end())
      for (Json& container : *containers) {
        const Json& sizes = object_at(container, {"resources"});
        if (!sizes.empty() && object_at(sizes, {"requests"}) == object_at(sizes, {"limits"}))
          container["resources"].erase("requests");
      }
}

}  // namespace kml::jobs
