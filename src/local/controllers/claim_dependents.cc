#include "local/controllers/claim_dependents.h"

#include <algorithm>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/selector.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

void release_from(Json& object, const std::string& owner_uid) {
  Json& owners = object["metadata"]["ownerReferences"];
  owners.erase(std::remove_if(owners.begin(), owners.end(),
                              [&](const Json& owner) { return api::entry_uid(owner) == owner_uid; }),
               owners.end());
  if (owners.empty()) object["metadata"].erase("ownerReferences");
}

}  // namespace

std::vector<ObjectPtr> claim_dependents(Store& store, const Dependents& dependents, const Json& owner,
                                        const api::ResourceKind& kind) {
  const std::string uid = uid_of(owner);
  const auto selector = api::LabelSelector::from_json(object_at(owner, {"spec", "selector"}));
  const auto change = [&](const Json& object, const std::function<void(Json&)>& how) {
    return store.modify(kind, namespace_of(object), name_of(object), how);
  };
  std::vector<ObjectPtr> claimed;
  for (const ObjectPtr& object : dependents.of(uid, &kind)) {
    if (controller_uid(*object) != uid) continue;
    if (selector.matches(api::labels_of(*object)) || is_being_deleted(*object))
      claimed.push_back(object);
    else
      change(*object, [&](Json& next) { release_from(next, uid); });
  }
  for (const ObjectPtr& object : store.list(kind, namespace_of(owner)))
    if (controller_uid(*object).empty() && !is_being_deleted(*object) && !is_being_deleted(owner) &&
        selector.matches(api::labels_of(*object)) && !(kind.kind == "Pod" && pod_has_ended(*object)))
      claimed.push_back(change(*object, [&](Json& next) {
        next["metadata"]["ownerReferences"].push_back(controller_reference(owner));
      }));
  std::stable_sort(claimed.begin(), claimed.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return api::creation_text(*a) < api::creation_text(*b);
  });
  return claimed;
}

}  // namespace kml::local
