#pragma once

#include <string>

#include "kml/api/resource.h"
#include "local/api/api_error.h"

namespace kml::local {

/// What the API server does to objects of one kind. The object's field types are checked before.
struct KindRules {
  void (*set_defaults)(Json& object);
  void (*validate)(const Json& object, FieldErrors& errors);
  /// What a change must leave as it was.
  void (*validate_change)(const Json& next, const Json& current, FieldErrors& errors);
  /// What only a new object is given, after its defaults and before the checks.
  void (*prepare_new)(Json& object) = [](Json&) {};
  /// What an object is given after the checks.
  void (*complete)(Json& object) = [](Json&) {};
};

const KindRules& rules_of(const api::ResourceKind& kind);

extern const KindRules kPodRules, kJobRules, kPyTorchJobRules, kSecretRules, kConfigMapRules, kClaimRules,
    kPriorityClassRules, kNamespaceRules, kQuotaRules;

/// A namespace as it is when it is new, without apiVersion and kind.
Json new_namespace(const std::string& name);

/// Sets `object[key]` where it is missing or null.
template <typename Value>
void set_default(Json& object, const char* key, Value value) {
  Json& field = object[key];
  if (field.is_null()) field = std::move(value);
}

/// Makes text of the quantities that were given as numbers ("cpu: 1" is "1"), so that readers find text only.
void quantities_to_text(Json& resources);

/// "must be greater than or equal to 0" where the field is given and is not.
void require_not_negative(const Json& object, const char* key, const std::string& path, FieldErrors& errors);

/// For a change: "field is immutable" where it differs.
void require_same(const Json& next, const Json& current, const char* key, const std::string& path,
                  FieldErrors& errors);

// k8s.io/apimachinery/pkg/api/validation/objectmeta.go. The fields' types are checked before.

/// Checks an object's metadata but for its name: labels, annotations, finalizers, ownerReferences.
void validate_metadata(const Json& metadata, FieldErrors& errors);

/// Checks labels and annotations, all that a template's metadata is good for; `path` is where it stands.
void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors);

}  // namespace kml::local
