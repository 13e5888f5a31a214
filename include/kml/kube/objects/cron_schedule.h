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
  /// If the day or the weekday is "*", a date must match both fields; otherwise it is enough to match one of
  /// them.
  bool matches_both_days = false;
  /// For "@every 90m": the time between two starts. The masks are then unused.
  std::chrono::seconds every{0};
};

/// Parses a schedule as Kubernetes does, by the rules of robfig/cron v3's ParseStandard: five fields, or
/// "@daily" and the like; in "@every", only whole hours, minutes and seconds. Throws usage Error with the
/// text of that library, which API servers repeat.
CronSchedule parse_cron(std::string_view text);

/// The first start after a time, computed like robfig/cron v3's SpecSchedule.Next: the first minute whose
/// date and time match on the zone's clocks. So a time that the clocks skip causes no start, and a time that
/// occurs twice causes two. The result differs from robfig/cron's only if a clock change skips midnight
/// (Beirut, Havana): robfig/cron then skips that day, or starts on the wrong day. Empty if there is no start
/// in the next five years, as for February 30. With "@every", `time` must be the time of a start.
std::optional<Time> next_after(const CronSchedule& schedule, const TimeZone& zone, Time time);

/// The last start after `begin` and not after `end`. With "@every", `begin` must be the time of a start.
std::optional<Time> last_start(const CronSchedule& schedule, const TimeZone& zone, Time begin, Time end);

}  // namespace kml::api
