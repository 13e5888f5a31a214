#pragma once

#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// With the outlook that the code usually has.
Cause make_cause(CauseCode code, std::string brief, std::string summary);

}  // namespace kml::jobs
