#pragma once

#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// Reads spec.parameters: Katib's entries, in which numbers may be texts, and kml's conditions. With
/// `takes_any`, the values of a categorical parameter may also be null, lists or maps.
std::vector<Parameter> read_parameters(const Json* list, const std::string& path, bool takes_any,
                                       std::vector<Problem>& problems);

}  // namespace kml::sweep
