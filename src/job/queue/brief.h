#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// Only the fields of a job or pod that the queue needs, as kube::list_briefly returns them. This saves
/// memory with thousands of objects.
Json brief(const Json& object);

/// Removes redundant fields from a pod, which cost memory for thousands of pods.
void drop_repeated(Json& pod);

}  // namespace kml::job
