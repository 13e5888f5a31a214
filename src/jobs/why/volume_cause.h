#pragma once

#include <optional>
#include <string>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// Whether a volume claim keeps a pod from a node: it is missing, or not bound. `message` is the scheduler's.
std::optional<Cause> volume_cause(const Facts& facts, const Json& pod, const std::string& message);

}  // namespace kml::jobs
