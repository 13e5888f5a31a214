#pragma once

#include <functional>
#include <map>
#include <string>

#include "kml/kube/watch.h"

namespace kml::kube {

/// Which objects of a collection exist, and in which version, so that a list after a gap can be told as
/// differences. Keeps no object, only what identifies it.
class KnownObjects {
 public:
  using OnChange = std::function<void(Change, const Json&)>;

  /// An object as a list or an event shows it.
  void update(const Json& object, const OnChange& on_change);
  void remove(const Json& object, const OnChange& on_change);
  /// Updates from here to end_list() are a whole list: what is known and not in it has been deleted.
  void begin_list() { ++list_; }
  void end_list(const OnChange& on_change);

 private:
  struct Version {
    std::string uid, resource_version;
    int list;  ///< the last one that it was seen in, or after
  };
  using Key = std::pair<std::string, std::string>;  ///< namespace and name

  static Key key_of(const Json& object);
  static Json remains(const Key& key, const Version& version);

  std::map<Key, Version> known_;
  int list_ = 0;
};

}  // namespace kml::kube
