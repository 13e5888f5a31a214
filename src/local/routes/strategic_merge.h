#pragma once

#include "kml/core/json.h"

namespace kml::local {

/// A strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch): as a merge patch, but lists of
/// things with a name (containers, env, volumes, …) are merged item by item, and "$patch",
/// "$setElementOrder/…",
/// "$deleteFromPrimitiveList/…" and "$retainKeys" say what a merge cannot. Throws 400 where an item lacks its
/// name.
void merge_strategically(Json& object, const Json& patch);

}  // namespace kml::local
