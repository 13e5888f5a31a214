#pragma once

#include "local/admission/field_support.h"
#include "local/admission/images.h"
#include "local/api/api_error.h"
#include "local/quota/quotas.h"
#include "local/store/store.h"

namespace kml::local {

/// Throws 400 if a field's value has the wrong type. Unknown fields, and fields that occur twice in the text
/// (`duplicates`), are rejected if `validation` is "Strict", silently accepted if it is "Ignore", and
/// otherwise returned as warnings. Removes unknown fields from the object and, except from custom resources,
/// empty maps and lists.
std::vector<std::string> check_fields(const api::ResourceKind& kind, Json& object,
                                      const std::vector<std::string>& duplicates,
                                      std::string_view validation);

/// The PodSpecs in an object, with their paths.
std::vector<std::pair<std::string, const Json*>> pod_specs(const api::ResourceKind& kind, const Json& object);
/// The fields of the Jobs and pods in the object that are set but not obeyed by this server.
std::vector<UnobeyedField> unobeyed_fields_of(const api::ResourceKind& kind, const Json& object);

/// Prepares an object for storage as the API server does: sets defaults, then runs the checks of its kind.
/// Call check_fields() first.
class Admission {
 public:
  /// The store must outlive this object.
  Admission(Store& store, const Images& images) : store_(store), images_(images), quotas_(store) {}

  /// Throws 4xx if the object is rejected. Controllers call it, too, for the pods that they create.
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
