#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/base/time_zone.h"

namespace kml::api {

/// A CronJob's spec.schedule. Each mask has a bit for each allowed value.
struct CronSchedule {
  uint64_t minutes = 0, hours = 0, days = 0, months = 0, weekdays = 0;
  /// With "*" as day or weekday, a date must match both fields; otherwise one of them.
  bool matches_both_days = false;
  /// For "@every 90m": the time between two starts. The masks are then unused.
  std::chrono::seconds every{0};
};

/// Reads a schedule as Kubernetes does, by robfig/cron v3's ParseStandard: five fields, or "@daily" and the
/// like; for "@every", only whole hours, minutes and seconds. Throws usage Error in that library's words,
/// which API servers repeat.
CronSchedule parse_cron(std::string_view text);

/// The first start after that time, as robfig/cron v3's SpecSchedule.Next: the first minute whose date and
/// time on the zone's clocks match. So a time that the clocks skip is skipped, and one that comes twice
/// starts twice. robfig/cron differs only if a change skips midnight (Beirut, Havana): it skips that day, or
/// starts on the wrong one. Empty if there is none in the next five years, as for February 30. With "@every",
/// the time must be that of a start.
std::optional<Time> next_after(const CronSchedule& schedule, const TimeZone& zone, Time time);

/// The last start after `begin` and not after `end`. `begin` must be that of a start if the schedule has
/// "@every".
std::optional<Time> last_start(const CronSchedule& schedule, const TimeZone& zone, Time begin, Time end);

}  // namespace kml::api
