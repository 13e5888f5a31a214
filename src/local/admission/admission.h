#pragma once

#include "local/admission/field_support.h"
#include "local/admission/images.h"
#include "local/api/api_error.h"
#include "local/quota/quotas.h"
#include "local/store/store.h"

namespace kml::local {

/// Throws 400 if a field has a value of another type. Fields that the kind does not have and fields that
/// the text gave twice (`duplicates`) are refused where `validation` is "Strict", unheeded where it is
/// "Ignore", else returned as warnings. Takes out of the object what its kind does not have, and empty
/// maps and lists.
std::vector<std::string> check_fields(const api::ResourceKind& kind, Json& object,
                                      const std::vector<std::string>& duplicates,
                                      std::string_view validation);

/// The PodSpecs that an object holds, with their paths.
std::vector<std::pair<std::string, const Json*>> pod_specs(const api::ResourceKind& kind, const Json& object);
/// What the object asks for and this server does not do.
std::vector<UnobeyedField> unobeyed_fields_of(const api::ResourceKind& kind, const Json& object);

/// What the API server does to an object before it is stored: defaults, then the checks of its kind.
/// The object's fields are checked before, by check_fields().
class Admission {
 public:
  /// The store has to live no longer than this.
  Admission(Store& store, const Images& images) : store_(store), images_(images), quotas_(store) {}

  /// Throws 4xx where the object is refused. Controllers call it too, for the pods that they make.
  void admit_new(const api::ResourceKind& kind, Json& object) const;
  void admit_change(const api::ResourceKind& kind, Json& next, const Json& current) const;

 private:
  void set_priority(Json& pod) const;
  void require_one_global_default(const Json& priority_class) const;
  void require_commands(const api::ResourceKind& kind, const Json& object, FieldErrors& errors) const;

  const Store& store_;
  const Images& images_;
  Quotas quotas_;
};

}  // namespace kml::local
