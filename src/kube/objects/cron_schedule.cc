#include "kml/kube/objects/cron_schedule.h"

#include <algorithm>

namespace kml::api {

using namespace std::chrono_literals;

namespace {

/// A time as the clocks in the zone show it.
struct WallClock {
  WallClock(const TimeZone& zone, Time time)
      : offset(zone.offset(time)),
        day(std::chrono::floor<std::chrono::days>(time + offset)),
        date(day),
        of_day(std::chrono::floor<std::chrono::minutes>(time + offset - day)) {}

  std::chrono::seconds offset;
  std::chrono::sys_days day;
  std::chrono::year_month_day date;
  std::chrono::minutes of_day;  ///< since midnight
};

bool has_bit(uint64_t mask, unsigned bit) {
  return (mask >> bit & 1) != 0;
}

bool matches_date(const CronSchedule& schedule, const WallClock& clock) {
  const bool day = has_bit(schedule.days, static_cast<unsigned>(clock.date.day())),
             weekday = has_bit(schedule.weekdays, std::chrono::weekday(clock.day).c_encoding());
  return has_bit(schedule.months, static_cast<unsigned>(clock.date.month())) &&
         (schedule.matches_both_days ? day && weekday : day || weekday);
}

/// The time to check next, `step` later. If the clocks change before that, only a minute later, so that no
/// minute is missed.
Time step_over(const TimeZone& zone, Time time, const WallClock& clock, std::chrono::minutes step) {
  return zone.offset(time + step) == clock.offset ? time + step : time + 1min;
}

}  // namespace

std::optional<Time> next_after(const CronSchedule& schedule, const TimeZone& zone, Time time) {
  if (schedule.every > 0s) return std::chrono::floor<std::chrono::seconds>(time) + schedule.every;
  constexpr std::chrono::years kSearched{5};
  const std::chrono::year last_year = WallClock(zone, time + 1s).date.year() + kSearched;
  for (Time at = std::chrono::floor<std::chrono::minutes>(time) + 1min;;) {
    const WallClock clock(zone, at);
    const auto hour = std::chrono::floor<std::chrono::hours>(clock.of_day);
    if (clock.date.year() > last_year) return {};
    if (!matches_date(schedule, clock))
      at = step_over(zone, at, clock, 24h - clock.of_day);
    else if (!has_bit(schedule.hours, static_cast<unsigned>(hour.count())))
      at = step_over(zone, at, clock, hour + 1h - clock.of_day);
    else if (!has_bit(schedule.minutes, static_cast<unsigned>((clock.of_day - hour).count())))
      at += 1min;
    else
      return at;
  }
}

std::optional<Time> last_start(const CronSchedule& schedule, const TimeZone& zone, Time begin, Time end) {
  if (schedule.every > 0s) {
    const auto starts = (end - std::chrono::floor<std::chrono::seconds>(begin)) / schedule.every;
    if (starts < 1) return {};
    return std::chrono::floor<std::chrono::seconds>(begin) + starts * schedule.every;
  }
  if (const auto first = next_after(schedule, zone, begin); !first || *first > end) return {};
  // Searches larger and larger intervals before the end. The whole interval may have thousands of starts, so
  // searching forward from its beginning could take long.
  for (std::chrono::hours window = 1h;; window *= 4) {
    const bool is_whole = end - begin <= window;
    std::optional<Time> last, at = is_whole ? begin : end - window;
    while ((at = next_after(schedule, zone, *at)) && *at <= end) last = at;
    if (last || is_whole) return last;
  }
}

}  // namespace kml::api
