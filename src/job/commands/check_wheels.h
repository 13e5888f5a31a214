#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// Says which of the packages, as in the record of a run, are not available for the processors of the
/// cluster's nodes. Throws Error if the pods of these objects would certainly fail for this reason. Does
/// nothing without packages, and on this machine.
void check_wheels(Context& context, const std::vector<Json>& objects, const Json& packages);

}  // namespace kml::cli
