#include "local/pod_template.h"

#include <fmt/format.h>

#include "kml/core/error.h"
#include "local/attempts.h"
#include "local/kinds.h"
#include "local/object.h"

namespace kml::local {

namespace {

const api::ResourceKind& priority_class = *api::find_kind("scheduling.k8s.io/v1", "PriorityClass");

ObjectPtr default_priority_class(const Store& store) {
  for (const ObjectPtr& candidate : store.list(priority_class, ""))
    if (bool_at(*candidate, {"globalDefault"})) return candidate;
  return nullptr;
}

void set_priority(Json& spec, const Store& store) {
  const std::string name = string_at(spec, {"priorityClassName"});
  const ObjectPtr found = name.empty() ? default_priority_class(store) : store.get(priority_class, "", name);
  if (!found && !name.empty()) {
    Error error(ErrorCode::failure, fmt::format("no PriorityClass with name {} was found", name));
    error.reason = "Forbidden";
    throw error;
  }
  spec["priority"] = found ? int_at(*found, {"value"}) : 0;
  if (!found) return;
  spec["priorityClassName"] = name_of(*found);
  spec["preemptionPolicy"] = string_at(*found, {"preemptionPolicy"}, "PreemptLowerPriority");
}

}  // namespace

Json pod_from_template(const Json& pod_template, const Json& owner, std::string name, const Store& store) {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata",
               {{"name", std::move(name)},
                {"namespace", namespace_of(owner)},
                {"labels", object_at(pod_template, {"metadata", "labels"})},
                {"ownerReferences", Json::array({controller_reference(owner)})}}},
              {"spec", object_at(pod_template, {"spec"})},
              {"status", {{"phase", "Pending"}}}};
  if (const Json* annotations = find(pod_template, {"metadata", "annotations"}))
    pod["metadata"]["annotations"] = *annotations;
  set_priority(pod["spec"], store);
  return pod;
}

void set_variable(Json& pod, std::string_view name, Json value_or_source) {
  value_or_source["name"] = name;
  for (const char* group : {"initContainers", "containers"}) {
    if (!pod["spec"].contains(group)) continue;
    for (Json& container : pod["spec"][group]) {
      Json& variables = container["env"];
      bool set = false;
      for (Json& variable : variables)
        if (string_at(variable, {"name"}) == name) {
          variable = value_or_source;
          set = true;
        }
      // In front, so that the container's own variables can refer to it.
      if (!set && variables.is_null()) variables = Json::array();
      if (!set) variables.insert(variables.begin(), value_or_source);
    }
  }
}

void delete_pod(Store& store, const Json& pod, Time now, const std::string& reason) {
  if (is_being_deleted(pod)) return;
  store.modify(kinds::pod, namespace_of(pod), name_of(pod), [&](Json& next) {
    if (uid_of(next) != uid_of(pod)) return;
    mark_deleted(next, now);
    if (!reason.empty()) next["metadata"]["annotations"][std::string(kEndedBy)] = reason;
  });
}

}  // namespace kml::local
