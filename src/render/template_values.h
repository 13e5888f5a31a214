#pragma once

#include "kml/core/json.h"
#include "kml/render/problems.h"
#include "kml/render/template.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

/// The template's body with the spec's parameters, and what its flags give to every template, filled in.
Json evaluate_body(const spec::SubmitSpec& spec, const Template& source, Problems& problems);

}  // namespace kml::render
