#pragma once

#include "kml/engine/loop/decisions.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

using SweepDecisions = engine::Decisions<Record, TrialJob>;

}  // namespace kml::sweep
