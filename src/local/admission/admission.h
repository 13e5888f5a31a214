#pragma once

#include "local/admission/images.h"
#include "local/api/api_error.h"
#include "local/store/store.h"

namespace kml::local {

/// Throws 400 where a field has a value of another type, and, where `field_validation` is "Strict", where the
/// object has fields that its kind does not have.
void check_fields(const api::ResourceKind& kind, const Json& object, std::string_view field_validation);

/// What the API server does to an object before it is stored: defaults, then the checks of its kind.
/// The object's fields are checked before, by check_fields().
class Admission {
 public:
  Admission(const Store& store, const Images& images) : store_(store), images_(images) {}

  /// Throws 4xx where the object is refused. Controllers call it too, for the pods that they make.
  void admit_new(const api::ResourceKind& kind, Json& object) const;
  void admit_change(const api::ResourceKind& kind, Json& next, const Json& current) const;

 private:
  void set_priority(Json& pod) const;
  void require_one_global_default(const Json& priority_class) const;
  void require_commands(const api::ResourceKind& kind, const Json& object, FieldErrors& errors) const;

  const Store& store_;
  const Images& images_;
};

}  // namespace kml::local
