#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/timeline.h"

namespace kml::ui {

/// The data of a sweep's report. Times are seconds since its start. Has all trials, but the learning curves
/// of only a few hundred. Running jobs end at `now`.
Json report_data(const sweep::SweepState& state, const sweep::Timeline& timeline, Time now);

/// The report as one HTML page. The page loads nothing from elsewhere, whatever texts the data contains.
std::string report_page(const Json& data);

}  // namespace kml::ui
