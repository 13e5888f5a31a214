#pragma once

#include "kml/base/json.h"

namespace kml::engine {

/// The job or pod without most of the fields that kml never reads from it: metadata.managedFields, container
/// fields that only a node needs and, unless the pod waits for a node, its volumes. With these fields, an
/// engine with a thousand jobs would need twice the memory.
Json kept_job(const Json& job);
Json kept_pod(const Json& pod);

}  // namespace kml::engine
