#pragma once

#include <vector>

#include "kml/job/spec/submit_spec.h"

namespace kml::job {

/// Throws usage Error for a mount that the embedded server cannot make.
void require_local_mounts(const std::vector<spec::Mount>& mounts);

}  // namespace kml::job
