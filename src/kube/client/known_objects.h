#pragma once

#include <functional>
#include <map>
#include <string>

#include "kml/kube/client/watch.h"

namespace kml::kube {

/// Remembers the identities and versions of a collection's objects, but not the objects themselves. This is
/// enough to find out from a new list which objects have changed since a watch broke.
class KnownObjects {
 public:
  using OnChange = std::function<void(Change, const Json&)>;

  /// Processes an object from a list or an event.
  void update(const Json& object, const OnChange& on_change);
  void remove(const Json& object, const OnChange& on_change);
  /// Starts a complete list, which end_list() ends. Known objects that are missing from it were deleted.
  void begin_list() { ++list_; }
  void end_list(const OnChange& on_change);

 private:
  struct Version {
    std::string uid, resource_version;
    int list;  ///< the value of list_ when the object was last in a list or in an event
  };
  using Key = std::pair<std::string, std::string>;  ///< namespace and name

  static Key key_of(const Json& object);
  static Json remains(const Key& key, const Version& version);

  std::map<Key, Version> known_;
  int list_ = 0;
};

}  // namespace kml::kube
