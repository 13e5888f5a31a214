#include "kml/serve/model/watched_objects.h"

#include "kml/kube/objects/object.h"

namespace kml::serve {

const WatchedObjects::Objects& WatchedObjects::add(const api::ResourceKind& kind,
                                                   kube::WatchOptions options) {
  Objects& objects = objects_.emplace_back();
  kube::WatchHandler handler;
  handler.on_change = [this, &objects](kube::Change change, const Json& object) {
    has_changed_ = true;
    if (change == kube::Change::deleted)
      objects.erase(api::uid_of(object));
    else
      objects[api::uid_of(object)] = object;
  };
  handler.on_synced = [this] {
    has_changed_ = true;
    ++synced_;
  };
  handler.on_failure = [this](const Error& error) { failure_ = error; };
  options.is_patient = is_patient_;
  watches_.push_back(kube::watch(client_, kind, namespace_, std::move(options), std::move(handler)));
  return objects;
}

bool WatchedObjects::are_complete() const {
  if (failure_) throw *failure_;
  return synced_ == watches_.size();
}

}  // namespace kml::serve
