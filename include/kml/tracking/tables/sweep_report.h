#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/timeline.h"

namespace kml::ui {

/// The data for a sweep's report. Times are seconds since its start. Includes all trials, but the learning
/// curves of only a few hundred. Running jobs are shown as if they ended at `now`.
Json report_data(const sweep::SweepState& state, const sweep::Timeline& timeline, Time now);

/// The report as one HTML page. The page loads nothing from other places, whatever texts the data contains.
std::string report_page(const Json& data);

}  // namespace kml::ui
