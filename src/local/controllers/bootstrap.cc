#include "local/controllers/bootstrap.h"

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/admission/kind_rules.h"
#include "local/api/api_path.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

const api::ResourceKind& namespace_kind() {
  static const api::ResourceKind& found = api::known_kind("v1", "Namespace");
  return found;
}

void create_if_missing(Store& store, const api::ResourceKind& kind, Json object) {
  const std::string name = api::name_of(object);
  if (store.get(kind, api::namespace_of(object), name)) return;
  api::set_kind(object, kind);
  store.create(kind, std::move(object));
}

bool is_ending(const Json& object) {
  return object.at("metadata").contains("deletionTimestamp");
}

}  // namespace

void create_initial_objects(Store& store) {
  for (const char* name : {"default", "kube-system"})
    create_if_missing(store, namespace_kind(), new_namespace(name));
  // The classes of k8s.io/kubernetes/pkg/apis/scheduling. Users can define values up to 1000000000.
  const std::pair<const char*, int> kSystemClasses[] = {{"system-cluster-critical", 2'000'000'000},
                                                        {"system-node-critical", 2'000'001'000}};
  for (const auto& [name, value] : kSystemClasses)
    create_if_missing(store, api::known_kind("scheduling.k8s.io/v1", "PriorityClass"),
                      {{"metadata", {{"name", name}}},
                       {"value", value},
                       {"globalDefault", false},
                       {"preemptionPolicy", "PreemptLowerPriority"}});
}

Namespaces::Namespaces(Store& store, const Clock& clock) : store_(store), clock_(clock) {
  store_.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void Namespaces::on_event(const StoreEvent& event) {
  if (event.kind == &namespace_kind()) {
    const std::string name = api::name_of(*event.object);
    if (event.change == Change::added)
      create_if_missing(store_, api::known_kind("v1", "ServiceAccount"),
                        {{"metadata", {{"name", "default"}, {"namespace", name}}}});
    else if (event.change == Change::modified && is_ending(*event.object))
      empty(name);
    return;
  }
  const std::string name = api::namespace_of(*event.object);
  ObjectPtr found = name.empty() ? nullptr : store_.get(namespace_kind(), "", name);
  if (!found || !is_ending(*found)) return;
  // the object was created after the namespace's deletion had started
  if (event.change == Change::added) empty(name);
  if (event.change == Change::deleted) remove_if_empty(name);
}

void Namespaces::empty(const std::string& name) {
  for (const api::ResourceKind& of_kind : api::known_kinds()) {
    if (!of_kind.namespaced || !is_served(of_kind)) continue;
    for (const ObjectPtr& object : store_.list(of_kind, name)) {
      const std::string object_name = api::name_of(*object);
      if (of_kind.kind != "Pod") {
        store_.remove(of_kind, name, object_name);
      } else if (!is_ending(*object)) {
        store_.modify(of_kind, name, object_name, [&](Json& pod) {
          set_deletion(pod, clock_.now(), std::chrono::seconds(api::grace_seconds_of(pod)));
        });
      }
    }
  }
  remove_if_empty(name);
}

void Namespaces::remove_if_empty(const std::string& name) {
  if (!store_.get(namespace_kind(), "", name)) return;
  for (const api::ResourceKind& of_kind : api::known_kinds())
    if (of_kind.namespaced && is_served(of_kind) && !store_.list(of_kind, name).empty()) return;
  store_.remove(namespace_kind(), "", name);
}

}  // namespace kml::local
