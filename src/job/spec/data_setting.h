#pragma once

#include <string>

#include "kml/job/spec/submit_spec.h"

namespace kml::spec {

/// Adds the value of --data to the spec. It replaces the value of a source of settings with less precedence
/// that has the same path. An empty value removes all earlier ones. Returns a problem if the same source has
/// two values with one path.
std::string apply_data(SubmitSpec& spec, const Setting& setting);

}  // namespace kml::spec
