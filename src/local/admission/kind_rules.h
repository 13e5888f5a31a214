#pragma once

#include <string>
#include <vector>

#include "kml/kube/objects/resource.h"
#include "local/api/api_error.h"

namespace kml::local {

/// The API server's rules for objects of one kind. The types of the fields have already been checked.
struct KindRules {
  void (*set_defaults)(Json& object);
  void (*validate)(const Json& object, FieldErrors& errors);
  /// Checks that an update changes no immutable field.
  void (*validate_change)(const Json& next, const Json& current, FieldErrors& errors);
  /// Runs on new objects only, after the defaults and before the checks.
  void (*prepare_new)(Json& object) = [](Json&) {};
  /// Runs after the checks.
  void (*complete)(Json& object) = [](Json&) {};
};

const KindRules& rules_of(const api::ResourceKind& kind);

extern const KindRules kPodRules, kJobRules, kCronJobRules, kPyTorchJobRules, kSecretRules, kConfigMapRules,
    kClaimRules, kPriorityClassRules, kNamespaceRules, kQuotaRules, kDeploymentRules, kReplicaSetRules,
    kServiceRules;

/// The fields of a Service that the server does not obey: a sentence for each.
std::vector<std::string> service_warnings(const Json& service);

/// A new namespace object, without apiVersion and kind.
Json new_namespace(const std::string& name);

/// Sets `object[key]` if it is missing or null.
template <typename Value>
void set_default(Json& object, const char* key, Value value) {
  Json& field = object[key];
  if (field.is_null()) field = std::move(value);
}

/// Converts quantities that are JSON numbers into text ("cpu: 1" becomes "1"), so that other code only
/// handles text.
void quantities_to_text(Json& resources);

/// Adds "must be greater than or equal to 0" if the field is set and negative.
void require_not_negative(const Json& object, const char* key, const std::string& path, FieldErrors& errors);

/// For updates: adds "field is immutable" if the field differs.
void require_same(const Json& next, const Json& current, const char* key, const std::string& path,
                  FieldErrors& errors);

// k8s.io/apimachinery/pkg/api/validation/objectmeta.go. The types of the fields have already been checked.

/// Checks an object's metadata except its name: labels, annotations, finalizers, ownerReferences.
void validate_metadata(const Json& metadata, FieldErrors& errors);

/// Checks labels and annotations, the only metadata that a template uses. `path` is the path of the metadata.
void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors);

}  // namespace kml::local
