#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// An index of objects by the owners in their ownerReferences. It is updated with the store's events, so
/// finding the dependents of an owner does not visit all objects.
class Dependents {
 public:
  /// Subscribes to the store. Create it before any subscriber whose callback uses it.
  explicit Dependents(Store& store);

  /// The objects of this kind that name the owner; all kinds if `kind` is nullptr.
  std::vector<ObjectPtr> of(const std::string& owner_uid, const api::ResourceKind* kind) const;
  bool any_of(const std::string& owner_uid) const { return by_owner_.contains(owner_uid); }
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
