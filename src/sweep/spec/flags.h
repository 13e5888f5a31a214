#pragma once

#include <vector>

#include "kml/base/error.h"

namespace kml::sweep {

/// For a sweep that was given by flags: makes problems name flags in place of fields, because the user has
/// not written any fields.
void name_flags(std::vector<Problem>& problems);

}  // namespace kml::sweep
