#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "kml/jobs/queue.h"

namespace kml::jobs {

/// When something that waits may start, as far as can be told.
struct StartRange {
  Time earliest, latest;  ///< nine times out of ten, as the calibration has it (tests/soak/estimate)
};

/// By id_of() the entry, of those for which it can be told.
using StartEstimates = std::unordered_map<std::string, StartRange>;

}  // namespace kml::jobs
