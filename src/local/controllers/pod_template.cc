#include "local/controllers/pod_template.h"

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/events/attempts.h"
#include "local/store/object.h"

namespace kml::local {

/// Five random characters: a collision has a chance of one in 14 million.
std::string free_pod_name(const std::string& prefix, const std::string& namespace_name, const Store& store) {
  // A pod's name has at most 63 characters, including a suffix of six (apiserver, names/generate.go).
  const std::string base = prefix.substr(0, 57);
  std::string name;
  do name = base + "-" + random_suffix();
  while (store.get(kinds::pod, namespace_name, name));
  return name;
}

Json pod_from_template(const Json& pod_template, const Json& owner, std::string name) {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata",
               {{"name", std::move(name)},
                {"namespace", namespace_of(owner)},
                {"labels", api::labels_of(pod_template)},
                {"ownerReferences", Json::array({controller_reference(owner)})}}},
              {"spec", api::spec_of(pod_template)},
              {"status", {{"phase", "Pending"}}}};
  for (const char* field : {"annotations", "finalizers"})
    if (const Json* value = find(pod_template, {"metadata", field})) pod["metadata"][field] = *value;
  return pod;
}

void set_variable(Json& pod, std::string_view name, Json value_or_source) {
  value_or_source["name"] = name;
  api::visit_containers(pod["spec"], [&](Json& container) {
    Json& variables = container["env"];
    bool set = false;
    for (Json& variable : variables)
      if (api::entry_name(variable) == name) {
        variable = value_or_source;
        set = true;
      }
    // The variable comes first, so that the container's own variables can refer to it.
    if (!set && variables.is_null()) variables = Json::array();
    if (!set) variables.insert(variables.begin(), value_or_source);
  });
}

void delete_pod(Store& store, const Json& pod, Time now, const std::string& reason) {
  if (is_being_deleted(pod)) return;
  store.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    if (uid_of(next) != uid_of(pod)) return;
    mark_deleted(next, now);
    if (!reason.empty()) api::set_annotation(next, kEndedBy, reason);
  });
}

void end_pod(Store& store, const Json& pod, Time now, const std::string& reason) {
  if (pod_has_ended(pod) || is_being_deleted(pod)) return;
  if (phase_of(pod) != "Running") return delete_pod(store, pod, now, reason);
  store.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    if (uid_of(next) == uid_of(pod)) api::set_annotation(next, kEndedBy, reason);
  });
}

}  // namespace kml::local
