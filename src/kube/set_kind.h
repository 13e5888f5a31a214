#pragma once

#include "kml/api/resource.h"

namespace kml::kube {

/// What a server answers is of the kind that it was asked for, whatever it says itself: items of a list do
/// not say, and all who look at the object rely on a kind that kml knows.
inline void set_kind(Json& object, const api::ResourceKind& kind) {
  object["apiVersion"] = kind.api_version();
  object["kind"] = kind.kind;
}

}  // namespace kml::kube
