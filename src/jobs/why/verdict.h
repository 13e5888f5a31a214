#pragma once

#include <vector>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// All causes that the facts show, the one that counts first: what never gets better by itself, then what the
/// job waits for, then what is on its way. Never empty.
std::vector<Cause> causes_of(const Facts& facts);

}  // namespace kml::jobs
