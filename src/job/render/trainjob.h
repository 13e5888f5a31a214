#pragma once

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec to a TrainJob, as overlay_pod() does to a PodTemplateSpec. If a TrainJob has no field for
/// a flag on the command line, adds a problem.
void overlay_trainjob(const spec::SubmitSpec& spec, Json& trainjob, bool with_command, Problems& problems);

/// What a TrainJob says about its pods, as a PodTemplateSpec. Its runtime has the rest.
Json pod_template_of(Json trainjob);

}  // namespace kml::render
