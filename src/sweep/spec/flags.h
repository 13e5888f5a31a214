#pragma once

#include <vector>

#include "kml/base/error.h"

namespace kml::sweep {

/// For a sweep from the command line: makes problems name the flags instead of fields, which the user did not
/// write.
void name_flags(std::vector<Problem>& problems);

}  // namespace kml::sweep
