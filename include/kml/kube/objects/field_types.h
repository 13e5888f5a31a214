#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"

namespace kml::api {

/// Throws Error if a known field has a value of the wrong type, because an API server cannot decode such an
/// object. Later code can then rely on the types. Returns the paths of unknown fields.
std::vector<std::string> check_field_types(const ResourceKind& kind, const Json& object);

/// Whether the fields of the kind are known.
bool has_field_types(const ResourceKind& kind);

/// A mistake in an object that a person wrote.
struct FieldFault {
  std::vector<std::string> steps;  ///< the keys and indexes that lead from the object to the fault
  /// the path as shown to users: "spec.template.spec.containers[0].image"
  std::string path;
  std::string text;           ///< the fault: "no such field; did you mean image?"
  bool is_key;                ///< whether the key is wrong, not its value
  bool may_be_newer = false;  ///< whether a newer Kubernetes may have this field or value
};

/// The version of Kubernetes whose fields kml knows.
inline constexpr std::string_view kFieldsVersion = "1.37";

/// Finds values of the wrong type, words that are not among a field's values, unknown resources, and unknown
/// fields, which a newer Kubernetes may have.
std::vector<FieldFault> field_faults(const ResourceKind& kind, const Json& object);

/// The same for a PodTemplateSpec in an object of another kind. An operator may know more than Kubernetes, so
/// all faults have `may_be_newer`.
std::vector<FieldFault> faults_of_pod_template(const Json& pod_template);

/// Finds the values of the wrong type in a client's file: a Kubeconfig, a Kuberc or an ExecCredential. The
/// texts do not contain the values, which may be secrets.
std::vector<FieldFault> type_faults(std::string_view type, const Json& object);

/// The fault in a kind or an apiVersion that is probably a typo. Empty for a kind that kml does not know but
/// a cluster may have.
std::optional<FieldFault> kind_fault(const Json& object);

/// The type of a field in `type`, in the notation of field_table.h: "s", "[Container]". nullptr if `type`
/// does not have the field.
const std::string* type_of_field(std::string_view type, std::string_view field);

/// Removes unknown fields and, except in custom resources, empty maps and lists. An API server drops them
/// too, because it decodes an object into a Go struct and encodes it again.
void prune_fields(const ResourceKind& kind, Json& object);

}  // namespace kml::api
