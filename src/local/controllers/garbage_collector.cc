#include "local/controllers/garbage_collector.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "kml/kube/objects/object.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr const char* kForeground = "foregroundDeletion";
// How often the controller checks an owner that waits for its dependents.
constexpr auto kLookAtWaiting = 1s;

}  // namespace

GarbageCollector::GarbageCollector(EventLoop& loop, Store& store, const Dependents& dependents,
                                   const Clock& clock)
    : store_(store),
      dependents_(dependents),
      clock_(clock),
      queue_(loop, [this](const std::string& uid) { collect(uid); }),
      removals_(loop, [this](const std::string& uid) { remove(uid); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void GarbageCollector::recover() {
  std::unordered_set<std::string> alive;
  for (const api::ResourceKind& kind : api::known_kinds())
    for (const ObjectPtr& object : store_.list(kind, "")) {
      alive.insert(uid_of(*object));
      on_event({0, Change::modified, &kind, object, nullptr});
    }
  for (const std::string& owner : dependents_.owners())
    if (!alive.contains(owner)) queue_.add(owner);
}

void GarbageCollector::on_event(const StoreEvent& event) {
  const Json& object = *event.object;
  if (event.change == Change::deleted) {
    waiting_.erase(uid_of(object));
    queue_.add(uid_of(object));
    for (const Json& owner : api::owners_of(object)) look_at_waiting(api::entry_uid(owner));
  } else if (is_being_deleted(object) && has_finalizer(object, kForeground)) {
    waiting_[uid_of(object)] = {event.kind, namespace_of(object), name_of(object)};
    queue_.add(uid_of(object));
  }
}

void GarbageCollector::look_at_waiting(const std::string& owner_uid) {
  if (!waiting_.contains(owner_uid)) return;
  if (dependents_.any_of(owner_uid))
    queue_.add_after(owner_uid, kLookAtWaiting);
  else
    queue_.add(owner_uid);
}

/// An owner may have 100,000 dependents, so they are removed one by one; the server handles requests in
/// between.
void GarbageCollector::collect(const std::string& owner_uid) {
  const auto waiting = waiting_.find(owner_uid);
  const bool is_foreground = waiting != waiting_.end();
  const std::vector<ObjectPtr> dependents = lone_dependents(owner_uid);
  for (const ObjectPtr& dependent : dependents) {
    doomed_[uid_of(*dependent)] = {dependent, is_foreground};
    removals_.add(uid_of(*dependent));
  }
  if (!is_foreground || !dependents.empty()) return;
  const Owner owner = waiting->second;
  ObjectPtr left = store_.modify(*owner.kind, owner.namespace_name, owner.name,
                                 [](Json& object) { remove_finalizer(object, kForeground); });
  if (left && uid_of(*left) == owner_uid && api::finalizers_of(*left).empty())
    store_.remove(*owner.kind, owner.namespace_name, owner.name);
}

/// The dependents that have no other owner. A dependent with several owners is only deleted with the last
/// one.
std::vector<ObjectPtr> GarbageCollector::lone_dependents(const std::string& owner_uid) const {
  const auto is_living_other = [&](const Json& dependent, const Json& reference) {
    const api::ResourceKind* kind = api::find_kind(api::api_version_of(reference), api::kind_name(reference));
    const std::string uid = api::entry_uid(reference);
    if (!kind || uid == owner_uid) return false;
    ObjectPtr owner = store_.get(*kind, namespace_of(dependent), api::entry_name(reference));
    return owner && uid_of(*owner) == uid;
  };
  std::vector<ObjectPtr> dependents = dependents_.of(owner_uid, nullptr);
  std::erase_if(dependents, [&](const ObjectPtr& dependent) {
    const Json& owners = api::owners_of(*dependent);
    return std::any_of(owners.begin(), owners.end(),
                       [&](const Json& reference) { return is_living_other(*dependent, reference); });
  });
  return dependents;
}

void GarbageCollector::remove(const std::string& uid) {
  const auto found = doomed_.find(uid);
  if (found == doomed_.end()) return;
  const Json& known = *found->second.object;
  const api::ResourceKind* kind = api::kind_of(known);
  const ObjectPtr current = kind ? store_.get(*kind, namespace_of(known), name_of(known)) : nullptr;
  if (current && uid_of(*current) == uid) remove(*kind, *current, found->second.is_foreground);
  doomed_.erase(found);
}

void GarbageCollector::remove(const api::ResourceKind& kind, const Json& dependent, bool foreground) {
  const bool waits = &kind == &kinds::pod || !api::finalizers_of(dependent).empty();
  if (!waits && !foreground) return store_.remove(kind, namespace_of(dependent), name_of(dependent));
  if (is_being_deleted(dependent)) return;
  store_.modify(kind, namespace_of(dependent), name_of(dependent), [&](Json& next) {
    if (&kind == &kinds::pod) return mark_deleted(next, clock_.now());
    set_deletion(next, clock_.now(), std::chrono::seconds(0));
    if (foreground) next["metadata"]["finalizers"].push_back(kForeground);
  });
}

}  // namespace kml::local
