#pragma once

#include <vector>

#include "kml/core/error.h"

namespace kml::sweep {

/// For a sweep that was given by flags: the problems name them instead of fields, which the user did not
/// write.
void name_flags(std::vector<Problem>& problems);

}  // namespace kml::sweep
