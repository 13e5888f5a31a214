#pragma once

#include "local/images.h"
#include "local/store.h"

namespace kml::local {

/// What the API server does to an object before it is stored: defaults, then the checks of its kind.
class Admission {
 public:
  Admission(const Store& store, const Images& images) : store_(store), images_(images) {}

  /// Throws 4xx where the object is refused.
  void admit_new(const api::ResourceKind& kind, Json& object) const;
  void admit_change(const api::ResourceKind& kind, Json& next, const Json& current) const;

 private:
  void check_namespace(const api::ResourceKind& kind, const Json& object) const;
  void set_priority(Json& pod_spec, const api::ResourceKind& kind, std::string_view name) const;
  void check_one_global_default(const Json& priority_class) const;

  const Store& store_;
  const Images& images_;
};

}  // namespace kml::local
