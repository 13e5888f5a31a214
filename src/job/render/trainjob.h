#pragma once

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec to a TrainJob, as overlay_pod() does to a PodTemplateSpec. A flag for which a TrainJob
/// has no field is a problem.
void overlay_trainjob(const spec::SubmitSpec& spec, Json& trainjob, bool with_command, Problems& problems);

}  // namespace kml::render
