#pragma once

#include "kml/sweep/sweep_state.h"

namespace kml::sweep {

/// As the journal has them: [[0, 9999]], each pair the first and the last of a row. In their order.
Json ranges_of(const std::vector<std::uint64_t>& trials);

/// Of a record of wave_record().
Wave wave_of(const Json& record);

}  // namespace kml::sweep
