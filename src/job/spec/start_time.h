#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/time_zone.h"

namespace kml::spec {

/// Reads the time of --at: "2026-12-01 09:00", "tomorrow 9:00", "today 18:30", "9:00" (the next such time),
/// "+2h", or an RFC 3339 time, rounded up to a whole minute. Times without an offset are those of the zone's
/// clocks; of two such times, it takes the first. Throws Error (usage) if the text is not a time, if the
/// clocks skip it, if it has passed, or if it is more than a year away.
Time parse_start_time(const std::string& text, const TimeZone& zone, Time now);

}  // namespace kml::spec
