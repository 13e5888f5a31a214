#pragma once

#include "kml/core/json.h"

namespace kml::jobs {

/// What the queue needs of a job or pod, as kube::list_briefly brings it: of many thousand whole ones, most
/// is never looked at.
Json brief(const Json& object);

/// Takes out of a pod what can be told without it: of many thousand it costs memory.
void drop_repeated(Json& pod);

}  // namespace kml::jobs
