#pragma once

#include <string>

#include "kml/sweep/journal/sweep_state.h"
#include "kml/sweep/journal/timeline.h"

namespace kml::ui {

/// What the report shows of a sweep; times are seconds since its begin. All trials are in it, and the
/// learning curves of at most some hundred. `now` ends what still runs.
Json report_data(const sweep::SweepState& state, const sweep::Timeline& timeline, Time now);

/// The report: one HTML page that loads nothing, whatever texts the data holds.
std::string report_page(const Json& data);

}  // namespace kml::ui
