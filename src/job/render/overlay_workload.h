#pragma once

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec's settings for a whole job: labels, queue, limits and tasks. If the workload's kind has
/// no field for a flag on the command line, adds a problem.
void overlay_workload(const spec::SubmitSpec& spec, Json& object, Problems& problems);

}  // namespace kml::render
