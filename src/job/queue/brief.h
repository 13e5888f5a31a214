#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// The job or pod with only the fields that the queue needs, as kube::list_briefly returns them. This saves
/// memory if there are thousands of objects.
Json brief(const Json& object);

/// Removes redundant fields from a pod, because they would use much memory for thousands of pods.
void drop_repeated(Json& pod);

}  // namespace kml::job
