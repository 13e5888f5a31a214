#pragma once

#include "kml/base/json.h"

namespace kml::job {

/// The job or pod with only the fields that the queue needs, as kube::list_briefly returns them. This saves
/// memory if there are thousands of objects.
Json brief(const Json& object);

/// Removes redundant fields from a pod, because they would use much memory for thousands of pods.
void drop_repeated(Json& pod);

/// Removes the kind of a pod, and who owns it, for a queue that knows the pod's job.
void drop_owner(Json& pod);

}  // namespace kml::job
