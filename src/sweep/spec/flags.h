#pragma once

#include <vector>

#include "kml/base/error.h"

namespace kml::sweep {

/// For a sweep that was given by flags: makes problems name the flags in place of fields, which the user did
/// not write.
void name_flags(std::vector<Problem>& problems);

}  // namespace kml::sweep
