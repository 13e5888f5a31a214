#pragma once

#include <optional>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// How the job has ended, or that it is about to end; empty where it goes on.
std::optional<Cause> end_cause(const Facts& facts);

}  // namespace kml::jobs
