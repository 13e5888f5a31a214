#pragma once

#include "kml/base/json.h"

namespace kml::engine {

/// The job or pod without most of the fields that kml never reads from it: container fields that only a node
/// needs, metadata.managedFields and volumes. A pod that waits for a node keeps the last two. With these
/// fields, an engine with a thousand jobs would need twice the memory.
Json kept_job(const Json& job);
Json kept_pod(const Json& pod);

}  // namespace kml::engine
