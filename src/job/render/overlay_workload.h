#pragma once

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec's settings for the whole job to one workload: labels, queue, limits and tasks. A flag is
/// a problem if the workload's kind has no field for it.
void overlay_workload(const spec::SubmitSpec& spec, Json& object, Problems& problems);

}  // namespace kml::render
