#include "kube/client/known_objects.h"

#include <vector>

#include "kml/kube/objects/object.h"

namespace kml::kube {

KnownObjects::Key KnownObjects::key_of(const Json& object) {
  return {api::namespace_of(object), api::name_of(object)};
}

/// What is known of an object whose deletion the watch missed: its name, uid and version.
Json KnownObjects::remains(const Key& key, const Version& version) {
  Json metadata = {{"name", key.second}, {"uid", version.uid}, {"resourceVersion", version.resource_version}};
  if (!key.first.empty()) metadata["namespace"] = key.first;
  return {{"metadata", std::move(metadata)}};
}

void KnownObjects::update(const Json& object, const OnChange& on_change) {
  const Key key = key_of(object);
  Version version{api::uid_of(object), api::revision_of(object), list_};
  const auto [entry, is_new] = known_.try_emplace(key, version);
  const Version before = std::exchange(entry->second, version);
  if (is_new) return on_change(Change::added, object);
  if (before.uid != version.uid) {
    on_change(Change::deleted, remains(key, before));
    on_change(Change::added, object);
  } else if (before.resource_version != version.resource_version) {
    on_change(Change::modified, object);
  }
}

void KnownObjects::remove(const Json& object, const OnChange& on_change) {
  if (known_.erase(key_of(object)) > 0) on_change(Change::deleted, object);
}

void KnownObjects::end_list(const OnChange& on_change) {
  std::vector<Json> deleted;
  std::erase_if(known_, [&](const auto& entry) {
    if (entry.second.list == list_) return false;
    deleted.push_back(remains(entry.first, entry.second));
    return true;
  });
  for (const Json& object : deleted) on_change(Change::deleted, object);
}

}  // namespace kml::kube
