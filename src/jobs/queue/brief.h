#pragma once

#include "kml/core/json.h"

namespace kml::jobs {

/// The fields of a job or pod that the queue needs, as from kube::list_briefly. Thousands of complete objects
/// would mostly go unread.
Json brief(const Json& object);

/// Removes redundant fields from a pod, which cost memory for thousands of pods.
void drop_repeated(Json& pod);

}  // namespace kml::jobs
