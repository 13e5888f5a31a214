#include "job/queue/brief.h"

#include <initializer_list>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

Json picked(const Json& object, std::initializer_list<const char*> keys) {
  Json result = Json::object();
  for (const char* key : keys)
    if (const Json* value = find(object, {key})) result[key] = *value;
  return result;
}

Json sizes_of(const Json& containers) {
  Json sizes = Json::array();
  for (const Json& container : containers) sizes.push_back(picked(container, {"resources", "restartPolicy"}));
  return sizes;
}

Json brief_spec(const Json& pod_spec) {
  Json spec = picked(
      pod_spec, {"activeDeadlineSeconds", "nodeSelector", "nodeName", "priority", "priorityClassName",
                 "affinity", "tolerations", "resourceClaims", "schedulingGroup", "overhead", "resources"});
  for (const char* list : {"containers", "initContainers"})
    if (const Json& containers = api::containers_in(pod_spec, list); !containers.empty())
      spec[list] = sizes_of(containers);
  return spec;
}

}  // namespace

Json brief(const Json& object) {
  Json result = picked(object, {"apiVersion", "kind", "status"});
  const Json& metadata = api::metadata_of(object);
  if (api::kind_name(object) == "Pod") {
    Json spec = brief_spec(api::spec_of(object));
    spec.erase("tolerations");  // every pod has these default tolerations
    result.update({{"metadata", picked(metadata, {"name", "namespace", "labels", "creationTimestamp",
                                                  "deletionTimestamp", "ownerReferences"})},
                   {"spec", std::move(spec)}});
    return result;
  }
  result.update(
      {{"metadata", picked(metadata, {"name", "namespace", "uid", "labels", "annotations",
                                      "creationTimestamp", "deletionTimestamp", "ownerReferences"})},
       {"spec", api::spec_of(object)}});
  each_pod_template(result, [](Json& pod, int) { pod = {{"spec", brief_spec(api::spec_of(pod))}}; });
  return result;
}

void drop_repeated(Json& pod) {
  pod.erase("apiVersion");
  Json& spec = api::part_in(pod, "spec");
  spec.erase("tolerations");
  for (const char* list : {"containers", "initContainers"})
    for (Json& container : api::part_in(spec, list))
      if (Json& sizes = api::part_in(container, "resources");
          !sizes.empty() && api::requests_of(container) == api::limits_of(container))
        sizes.erase("requests");
}

void drop_owner(Json& pod) {
  pod.erase("kind");
  api::part_in(pod, "metadata").erase("ownerReferences");
}

}  // namespace kml::job
