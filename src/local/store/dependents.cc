#include "local/store/dependents.h"

#include "kml/kube/objects/object.h"
#include "local/store/object.h"

namespace kml::local {

Dependents::Dependents(Store& store) : store_(store) {
  for (const api::ResourceKind& kind : api::known_kinds())
    for (const ObjectPtr& object : store.list(kind, "")) add(kind, *object);
  store.subscribe([this](const StoreEvent& event) {
    if (event.previous) remove(*event.kind, *event.previous);
    if (event.change != Change::deleted) add(*event.kind, *event.object);
  });
}

void Dependents::add(const api::ResourceKind& kind, const Json& object) {
  for (const Json& owner : api::owners_of(object))
    by_owner_[api::entry_uid(owner)].insert({&kind, namespace_of(object), name_of(object)});
}

void Dependents::remove(const api::ResourceKind& kind, const Json& object) {
  for (const Json& owner : api::owners_of(object)) {
    auto it = by_owner_.find(api::entry_uid(owner));
    if (it == by_owner_.end()) continue;
    it->second.erase({&kind, namespace_of(object), name_of(object)});
    if (it->second.empty()) by_owner_.erase(it);
  }
}

std::vector<ObjectPtr> Dependents::of(const std::string& owner_uid, const api::ResourceKind* kind) const {
  std::vector<ObjectPtr> objects;
  auto it = by_owner_.find(owner_uid);
  if (it == by_owner_.end()) return objects;
  for (const Key& key : it->second) {
    if (kind && key.kind != kind) continue;
    if (ObjectPtr object = store_.get(*key.kind, key.namespace_name, key.name)) objects.push_back(object);
  }
  return objects;
}

std::vector<std::string> Dependents::owners() const {
  std::vector<std::string> uids;
  for (const auto& [uid, keys] : by_owner_) uids.push_back(uid);
  return uids;
}

}  // namespace kml::local
