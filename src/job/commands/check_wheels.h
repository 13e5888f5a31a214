#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// Prints which package has no wheel for the processors of the cluster's nodes. `packages` is as in the
/// record of a run. Throws Error if the pods of these objects would certainly fail for this reason. Does
/// nothing without packages, and on this machine.
void check_wheels(Context& context, const std::vector<Json>& objects, const Json& packages);

}  // namespace kml::cli
