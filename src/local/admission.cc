#include "local/admission.h"

#include "local/api_error.h"

namespace kml::local {

void Admission::admit_new(const api::ResourceKind& kind, Json& object) const {
  check_namespace(kind, object);
}

void Admission::admit_change(const api::ResourceKind&, Json&, const Json&) const {}

void Admission::check_namespace(const api::ResourceKind& kind, const Json& object) const {
  static const api::ResourceKind& namespaces = *api::find_kind("v1", "Namespace");
  if (!kind.namespaced) return;
  const std::string name = string_at(object, {"metadata", "namespace"});
  ObjectPtr found = store_.get(namespaces, "", name);
  if (!found) throw not_found(namespaces, name);
  if (found->at("metadata").contains("deletionTimestamp"))
    throw forbidden(kind, string_at(object, {"metadata", "name"}),
                    "unable to create new content in namespace " + name + " because it is being terminated");
}

}  // namespace kml::local
