#include "job/spec/start_time.h"

#include <optional>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/flag_duration.h"
#include "kml/base/text.h"

namespace kml::spec {

using namespace std::chrono_literals;

namespace {

/// The time that a zone's clocks show, in seconds since 1970.
using Clocks = std::chrono::sys_seconds;

/// The digits of a field as a number. Empty if the number of digits is not between `least` and `most`.
std::optional<int> digits(const std::string& text, size_t least, size_t most) {
  return text.size() < least || text.size() > most ? std::nullopt : whole_number(text);
}

/// The time since midnight in "9:00" or "09:00".
std::optional<std::chrono::minutes> time_of_day(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 2) return {};
  const auto hour = digits(parts[0], 1, 2), minute = digits(parts[1], 2, 2);
  if (!hour || !minute || *hour > 23 || *minute > 59) return {};
  return *hour * 1h + *minute * 1min;
}

/// The day in "2026-12-01", "today" or "tomorrow".
std::optional<std::chrono::sys_days> day_of(const std::string& text, std::chrono::sys_days today) {
  if (lower(text) == "today") return today;
  if (lower(text) == "tomorrow") return today + std::chrono::days(1);
  const std::vector<std::string> parts = split(text, '-');
  if (parts.size() != 3) return {};
  const auto year = digits(parts[0], 4, 4), month = digits(parts[1], 1, 2), day = digits(parts[2], 1, 2);
  if (!year || !month || !day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

/// The first time at which the zone's clocks show this; empty if the clocks skip it.
std::optional<Time> first_time_of(const TimeZone& zone, Clocks clocks) {
  for (const std::chrono::seconds offset : {zone.offset(clocks - 24h), zone.offset(clocks + 24h)})
    if (const Time time = clocks - offset; zone.offset(time) == offset) return time;
  return {};
}

Error not_a_time(const std::string& text) {
  return usage_error("--at " + text + " is not a time", "",
                     "write it as \"2026-12-01 09:00\", \"tomorrow 9:00\", \"18:30\" or +2h");
}

std::optional<Time> time_on_clocks(const std::string& text, const TimeZone& zone, Time now) {
  const size_t gap = text.find_first_of(" T");
  const auto of_day = time_of_day(gap == std::string::npos ? text : std::string(trim(text.substr(gap + 1))));
  const auto today = std::chrono::floor<std::chrono::days>(now + zone.offset(now));
  const auto day = gap == std::string::npos ? today : day_of(text.substr(0, gap), today);
  if (!of_day || !day) throw not_a_time(text);
  const auto time = first_time_of(zone, *day + *of_day);
  // A time of day without a date means the next moment at which the clocks show it.
  if (gap != std::string::npos || !time || *time > now) return time;
  return first_time_of(zone, *day + std::chrono::days(1) + *of_day);
}

Time time_of(const std::string& text, const TimeZone& zone, Time now) {
  if (text.starts_with('+')) {
    const auto wait = typed_duration(text.substr(1));
    if (!wait) throw not_a_time(text);
    return now + *wait;
  }
  if (const auto time = parse_rfc3339(text)) return *time;
  if (const auto time = time_on_clocks(text, zone, now)) return *time;
  throw usage_error("--at " + text + " does not exist",
                    "the clocks skip that time when they change to daylight saving time",
                    "choose a time an hour earlier or later");
}

}  // namespace

Time parse_start_time(const std::string& text, const TimeZone& zone, Time now) {
  const Time time = std::chrono::ceil<std::chrono::minutes>(time_of(std::string(trim(text)), zone, now));
  if (time <= now)
    throw usage_error("--at " + text + " has passed", "it is " + minute_in(zone, now) + " now",
                      "leave --at out to start now");
  // The schedule of a CronJob cannot include the year.
  if (time - now > 365 * 24h)
    throw usage_error("--at " + text + " is more than a year away", "a CronJob's schedule has no year");
  return time;
}

}  // namespace kml::spec
