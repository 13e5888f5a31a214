#pragma once

#include "kml/base/json.h"
#include "kml/job/render/problems.h"
#include "kml/job/render/template.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Fills in the template's body with the spec's parameters and the values of flags that all templates know.
Json evaluate_body(const spec::SubmitSpec& spec, const Template& source, Problems& problems);

}  // namespace kml::render
