#pragma once

#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// The parameters of spec.parameters: Katib's entries, whose numbers may be texts, and conditions.
std::vector<Parameter> read_parameters(const Json* list, const std::string& path,
                                       std::vector<Problem>& problems);

}  // namespace kml::sweep
