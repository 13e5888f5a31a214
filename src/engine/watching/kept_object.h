#pragma once

#include "kml/base/json.h"

namespace kml::engine {

/// The job or pod without most of the fields that no view of it reads: the fields of its containers that only
/// a node needs and, unless the pod waits for a node, volumes and metadata.managedFields. The engine of a
/// thousand jobs would need twice the memory for them.
Json kept_job(const Json& job);
Json kept_pod(const Json& pod);

}  // namespace kml::engine
