#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"

namespace kml::pipeline {

/// What ${run.scheduled} stands for in a run with this first record: the time of --scheduled or of the run's
/// schedule, otherwise that of its begin. "2026-01-01T03:00:00Z".
std::string scheduled_text(const record::Run& run, Time began);

/// The run's parameters, and the member "run.scheduled": all values of the run that may be part of a step's
/// key.
Json keyed_values(const record::Run& run, Time began);

}  // namespace kml::pipeline
