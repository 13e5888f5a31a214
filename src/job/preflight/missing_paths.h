#pragma once

#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::job {

/// Errors for the paths of this machine that the objects mount, that do not exist, and that the server would
/// not create. For the embedded server, whose node is this machine.
std::vector<Error> missing_paths(const std::vector<Json>& objects);

}  // namespace kml::job
