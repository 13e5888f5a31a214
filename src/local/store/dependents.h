#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/store/store.h"

namespace kml::local {

/// An index of objects by the owners in their ownerReferences, updated with the store's events, so that
/// finding an owner's dependents does not visit all objects.
class Dependents {
 public:
  /// Subscribes to the store. Construct it before any subscriber that uses it in its callback.
  explicit Dependents(Store& store);

  /// The objects that name the owner, of that kind, or of all kinds if `kind` is nullptr.
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
