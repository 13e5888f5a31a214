#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"

namespace kml::pipeline {

/// The value of ${run.scheduled} in a run with this first record: the time of --scheduled, or the time for
/// which a schedule started the run; otherwise the time of its start. For example "2026-01-01T03:00:00Z".
std::string scheduled_text(const record::Run& run, Time began);

/// The run's parameters and the member "run.scheduled". These are all of a run's values that a step's key may
/// contain.
Json keyed_values(const record::Run& run, Time began);

}  // namespace kml::pipeline
