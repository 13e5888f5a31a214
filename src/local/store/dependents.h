#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// Which objects name which owner in their ownerReferences: kept up from the store's events, so that nobody
/// has to list all objects to find an owner's.
class Dependents {
 public:
  /// Subscribes to the store; construct it before whoever asks it inside the store's events.
  explicit Dependents(Store& store);

  /// The objects of that kind (all kinds where it is nullptr) that name the owner.
  std::vector<ObjectPtr> of(const std::string& owner_uid, const api::ResourceKind* kind) const;
  std::vector<std::string> owners() const;

 private:
  struct Key {
    const api::ResourceKind* kind;
    std::string namespace_name, name;
    auto operator<=>(const Key&) const = default;
  };
  void add(const api::ResourceKind& kind, const Json& object);
  void remove(const api::ResourceKind& kind, const Json& object);

  Store& store_;
  std::unordered_map<std::string, std::set<Key>> by_owner_;
};

}  // namespace kml::local
