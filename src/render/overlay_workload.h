#pragma once

#include "kml/core/json.h"
#include "kml/render/problems.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

/// Lays the part of the spec that is about the whole job over one workload: labels, queue, limits and tasks.
/// A flag for which its kind has no field is a problem.
void overlay_workload(const spec::SubmitSpec& spec, Json& object, Problems& problems);

}  // namespace kml::render
