#include "local/api/selection.h"

namespace kml::local {

Selection::Selection(const ApiPath& path, const HttpRequest& request)
    : path_(path),
      labels_(api::LabelSelector::parse(request.parameter("labelSelector"))),
      fields_(api::FieldSelector::parse(request.parameter("fieldSelector"))),
      has_selectors_(!request.parameter("labelSelector").empty() ||
                     !request.parameter("fieldSelector").empty()) {}

bool Selection::matches(const Json& object) const {
  if (!path_.namespace_name.empty() && string_at(object, {"metadata", "namespace"}) != path_.namespace_name)
    return false;
  // One object can be watched by its path, as an old form of watching it.
  if (!path_.name.empty() && string_at(object, {"metadata", "name"}) != path_.name) return false;
  return !has_selectors_ ||
         (labels_.matches(object_at(object, {"metadata", "labels"})) && fields_.matches(object));
}

}  // namespace kml::local
