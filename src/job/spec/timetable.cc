#include "kml/job/spec/timetable.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "job/spec/start_time.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/base/time_zone.h"
#include "kml/kube/objects/cron_schedule.h"

namespace kml::spec {

using namespace std::chrono_literals;

namespace {

/// An interval that a cron schedule can express.
struct EvenInterval {
  std::chrono::seconds length;
  std::string cron;
};

/// All intervals that a cron schedule can express, shortest first: the divisors of an hour and of a day, one
/// day, and one week.
std::vector<EvenInterval> even_intervals() {
  std::vector<EvenInterval> all = {{1min, "* * * * *"}};
  for (int minutes = 2; minutes < 60; ++minutes)
    if (60 % minutes == 0) all.push_back({minutes * 1min, fmt::format("*/{} * * * *", minutes)});
  all.push_back({1h, "0 * * * *"});
  for (int hours = 2; hours < 24; ++hours)
    if (24 % hours == 0) all.push_back({hours * 1h, fmt::format("0 */{} * * *", hours)});
  all.push_back({24h, "0 0 * * *"});
  all.push_back({7 * 24h, "0 0 * * 0"});
  return all;
}

/// The interval in the largest possible unit: "7h".
std::string interval_text(std::chrono::seconds length) {
  const auto count = length.count();
  for (const auto& [unit, letter] : {std::pair(86400, 'd'), std::pair(3600, 'h'), std::pair(60, 'm')})
    if (count % unit == 0) return fmt::format("{}{}", count / unit, letter);
  return fmt::format("{}s", count);
}

std::string cron_of_every(std::chrono::seconds wanted) {
  const std::vector<EvenInterval> all = even_intervals();
  const auto after = std::find_if(all.begin(), all.end(),
                                  [&](const EvenInterval& interval) { return interval.length >= wanted; });
  if (after != all.end() && after->length == wanted) return after->cron;
  std::vector<std::string> nearest;
  if (after != all.begin()) nearest.push_back("--every " + interval_text(std::prev(after)->length));
  if (after != all.end()) nearest.push_back("--every " + interval_text(after->length));
  throw usage_error("--every " + interval_text(wanted) + " is not possible",
                    "a CronJob starts jobs at times of day, so the interval must be a number of minutes that "
                    "divides an hour evenly, a number of hours that divides a day evenly, or a week",
                    "use " + join(nearest, " or ") + ", or give the times with --cron");
}

api::CronSchedule checked_cron(const std::string& cron) {
  if (contains(cron, "TZ"))
    throw usage_error("--cron cannot contain a time zone", "", "use --tz, as in --tz Europe/Berlin");
  try {
    return api::parse_cron(cron);
  } catch (const Error& error) {
    throw usage_error("--cron '" + cron + "' is not a schedule", error.message,
                      "write minute, hour, day, month and weekday: '0 3 * * *' is each day at 3:00");
  }
}

TimeZone zone_of(const std::string& name) {
  if (auto zone = TimeZone::find(name)) return *zone;
  throw usage_error("unknown time zone \"" + name + "\"", "it is not in this machine's time zone database",
                    "write it as Europe/Berlin; `timedatectl list-timezones` lists the names");
}

void require_one_kind(const TimetableFlags& flags) {
  std::vector<std::string> given;
  if (!flags.cron.empty()) given.emplace_back("--cron");
  if (flags.every) given.emplace_back("--every");
  if (!flags.at.empty()) given.emplace_back("--at");
  if (given.empty()) throw usage_error("--tz needs --cron, --every or --at");
  if (given.size() > 1) throw not_together(given[0], given[1]);
}

std::string cron_at(const TimeZone& zone, Time time) {
  const Time clocks = time + zone.offset(time);
  const auto day = std::chrono::floor<std::chrono::days>(clocks);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day(clocks - day);
  return fmt::format("{} {} {} {} *", of_day.minutes().count(), of_day.hours().count(),
                     static_cast<unsigned>(date.day()), static_cast<unsigned>(date.month()));
}

/// The schedule is in the given zone, unless the zone's clocks change near the time and may show it twice.
/// Then it is in UTC.
Timetable timetable_at(Time time, const std::string& zone_name, const TimeZone& zone) {
  const std::string cron = cron_at(zone, time);
  const api::CronSchedule schedule = api::parse_cron(cron);
  const bool is_clear =
      next_after(schedule, zone, time - 24h) == time && next_after(schedule, zone, time) > time + 24h;
  return is_clear ? Timetable{cron, zone_name, time} : Timetable{cron_at(TimeZone::utc(), time), "UTC", time};
}

}  // namespace

Timetable parse_timetable(const TimetableFlags& flags, Time now) {
  require_one_kind(flags);
  const std::string zone_name = flags.zone.empty() ? local_zone_name() : flags.zone;
  const TimeZone zone = zone_of(zone_name);
  if (!flags.at.empty()) return timetable_at(parse_start_time(flags.at, zone, now), zone_name, zone);
  Timetable timetable{flags.every ? cron_of_every(*flags.every) : flags.cron, zone_name};
  const api::CronSchedule schedule = checked_cron(timetable.cron);
  if (!next_after(schedule, zone, now))
    throw usage_error("--cron '" + timetable.cron + "' never starts a job",
                      "no date in the next five years matches it");
  return timetable;
}

}  // namespace kml::spec
