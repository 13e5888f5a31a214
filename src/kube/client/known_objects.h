#pragma once

#include <functional>
#include <map>
#include <string>

#include "kml/kube/client/watch.h"

namespace kml::kube {

/// Keeps the identities and versions of a collection's objects, without the objects themselves. With them, a
/// list after a gap can be turned into changes.
class KnownObjects {
 public:
  using OnChange = std::function<void(Change, const Json&)>;

  /// Processes an object from a list or an event.
  void update(const Json& object, const OnChange& on_change);
  void remove(const Json& object, const OnChange& on_change);
  /// Begins a complete list; end_list() ends it. Known objects that are not in it were deleted.
  void begin_list() { ++list_; }
  void end_list(const OnChange& on_change);

 private:
  struct Version {
    std::string uid, resource_version;
    int list;  ///< number of the last list that had it, or after which it was seen
  };
  using Key = std::pair<std::string, std::string>;  ///< namespace and name

  static Key key_of(const Json& object);
  static Json remains(const Key& key, const Version& version);

  std::map<Key, Version> known_;
  int list_ = 0;
};

}  // namespace kml::kube
