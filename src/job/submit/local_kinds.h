#pragma once

#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Throws usage Error for jobs of kinds for which the embedded server has no controller, and for experiments
/// of Katib.
void require_local_kinds(const std::vector<Json>& objects);

}  // namespace kml::job
