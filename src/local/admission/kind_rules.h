#pragma once

#include <string>
#include <vector>

#include "kml/kube/objects/resource.h"
#include "local/api/api_error.h"

namespace kml::local {

/// The API server's rules for one kind of object. They are applied after the types of the fields were
/// checked.
struct KindRules {
  void (*set_defaults)(Json& object);
  void (*validate)(const Json& object, FieldErrors& errors);
  /// Checks that an update does not change an immutable field.
  void (*validate_change)(const Json& next, const Json& current, FieldErrors& errors);
  /// Called for new objects only, after the defaults are set and before the checks.
  void (*prepare_new)(Json& object) = [](Json&) {};
  /// Called after the checks.
  void (*complete)(Json& object) = [](Json&) {};
};

const KindRules& rules_of(const api::ResourceKind& kind);

extern const KindRules kPodRules, kJobRules, kCronJobRules, kPyTorchJobRules, kSecretRules, kConfigMapRules,
    kClaimRules, kPriorityClassRules, kNamespaceRules, kQuotaRules, kDeploymentRules, kReplicaSetRules,
    kServiceRules, kPodGroupRules, kWorkloadRules;

/// A sentence for each field of a Service that the server does not obey.
std::vector<std::string> service_warnings(const Json& service);

/// A new namespace object, without apiVersion and kind.
Json new_namespace(const std::string& name);

/// Sets `object[key]` if it is missing or null.
template <typename Value>
void set_default(Json& object, const char* key, Value value) {
  Json& field = object[key];
  if (field.is_null()) field = std::move(value);
}

/// Turns quantities that are JSON numbers into text ("cpu: 1" becomes "1"), so that other code only has to
/// handle text.
void quantities_to_text(Json& resources);

/// Adds "must be greater than or equal to 0" if the field is set and negative.
void require_not_negative(const Json& object, const char* key, const std::string& path, FieldErrors& errors);

/// For updates: adds "field is immutable" if the field differs.
void require_same(const Json& next, const Json& current, const char* key, const std::string& path,
                  FieldErrors& errors);

// From k8s.io/apimachinery/pkg/api/validation/objectmeta.go. The types of the fields were already checked.

/// Checks an object's metadata, apart from its name: labels, annotations, finalizers and ownerReferences.
void validate_metadata(const Json& metadata, FieldErrors& errors);

/// Checks labels and annotations, which are all the metadata that a template uses. `path` is the metadata's
/// path.
void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors);

}  // namespace kml::local
