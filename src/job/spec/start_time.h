#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/time_zone.h"

namespace kml::spec {

/// Parses the time of --at: "2026-12-01 09:00", "tomorrow 9:00", "today 18:30", "9:00" (the next such time),
/// "+2h", or an RFC 3339 time. Rounds up to a whole minute. A time without an offset is a time on the zone's
/// clocks; if the clocks show this time twice, the first time is used. Throws usage Error if the text is not
/// a time, or if the time is skipped by the clocks, has passed, or is more than a year away.
Time parse_start_time(const std::string& text, const TimeZone& zone, Time now);

}  // namespace kml::spec
