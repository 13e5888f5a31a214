#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"

namespace kml::pipeline {

/// The value of ${run.scheduled} in a run with this first record: the time of --scheduled or of the run's
/// schedule, otherwise its start. "2026-01-01T03:00:00Z".
std::string scheduled_text(const record::Run& run, Time began);

/// The run's parameters, and the member "run.scheduled": all values of the run that may be part of a step's
/// key.
Json keyed_values(const record::Run& run, Time began);

}  // namespace kml::pipeline
