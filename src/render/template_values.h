#pragma once

#include "kml/core/json.h"
#include "kml/render/problems.h"
#include "kml/render/template.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

/// Fills in the template's body with the spec's parameters and the values of common flags.
Json evaluate_body(const spec::SubmitSpec& spec, const Template& source, Problems& problems);

}  // namespace kml::render
