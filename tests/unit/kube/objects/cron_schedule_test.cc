#include "kml/kube/objects/cron_schedule.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace cron_schedule_test {

using namespace kml;
using namespace kml::api;
using namespace std::chrono_literals;

namespace {

Time at(std::string_view text) {
  return *parse_rfc3339(text);
}

/// The next starts in UTC after the time: "2024-03-31T01:30:00Z".
std::vector<std::string> starts(std::string_view cron, const char* zone, std::string_view after, int count) {
  std::vector<std::string> texts;
  std::optional<Time> time = at(after);
  while (count-- > 0 && (time = next_after(parse_cron(cron), *TimeZone::find(zone), *time)))
    texts.push_back(rfc3339(*time));
  return texts;
}

using Texts = std::vector<std::string>;

std::string fault(std::string_view cron) {
  try {
    parse_cron(cron);
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

}  // namespace

TEST_CASE("cron_schedule: fields, names, lists, ranges and steps are understood") {
  CHECK(starts("30 3 * * *", "UTC", "2024-01-01T03:30:00Z", 1) == Texts{"2024-01-02T03:30:00Z"});
  CHECK(starts("30 3 * * *", "UTC", "2024-01-01T03:29:59.9Z", 1) == Texts{"2024-01-01T03:30:00Z"});
  CHECK(starts("*/20 8-9 * * *", "UTC", "2024-01-01T09:20:00Z", 2) ==
        Texts{"2024-01-01T09:40:00Z", "2024-01-02T08:00:00Z"});
  CHECK(starts("50/5 0 1 jan,JUL *", "UTC", "2024-01-01T00:50:00Z", 2) ==
        Texts{"2024-01-01T00:55:00Z", "2024-07-01T00:50:00Z"});
  CHECK(starts("0 0 * * Mon-wed/2", "UTC", "2024-01-01T00:00:00Z", 2) ==
        Texts{"2024-01-03T00:00:00Z", "2024-01-08T00:00:00Z"});
  CHECK(starts("@weekly", "UTC", "2024-01-01T00:00:00Z", 1) == Texts{"2024-01-07T00:00:00Z"});
  CHECK(starts("@every 1h30m", "UTC", "2024-01-01T00:00:07.5Z", 2) ==
        Texts{"2024-01-01T01:30:07Z", "2024-01-01T03:00:07Z"});
}

TEST_CASE("cron_schedule: a day and a weekday are alternatives, unless one of them is a star") {
  CHECK(starts("0 0 13 * 5", "UTC", "2024-09-01T00:00:00Z", 3) ==
        Texts{"2024-09-06T00:00:00Z", "2024-09-13T00:00:00Z", "2024-09-20T00:00:00Z"});
  CHECK(starts("0 0 ? * 5", "UTC", "2024-09-01T00:00:00Z", 1) == Texts{"2024-09-06T00:00:00Z"});
  CHECK(starts("0 0 */2 * 5", "UTC", "2024-09-01T00:00:00Z", 3) ==
        Texts{"2024-09-03T00:00:00Z", "2024-09-05T00:00:00Z", "2024-09-06T00:00:00Z"});
}

TEST_CASE("cron_schedule: days that some months or years do not have are skipped") {
  CHECK(starts("0 0 31 * *", "UTC", "2024-01-31T00:00:00Z", 2) ==
        Texts{"2024-03-31T00:00:00Z", "2024-05-31T00:00:00Z"});
  CHECK(starts("0 12 29 2 *", "UTC", "2024-02-29T12:00:00Z", 1) == Texts{"2028-02-29T12:00:00Z"});
  CHECK(starts("0 0 30 2 *", "UTC", "2024-01-01T00:00:00Z", 1).empty());
  CHECK(starts("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1).empty());  // 2100 is not a leap year
  CHECK(starts(", * * * *", "UTC", "2024-01-01T00:00:00Z", 1).empty());
}

TEST_CASE("cron_schedule: starts are right when daylight saving time starts and ends") {
  // On March 31, 2:00 to 2:59 are skipped; on October 27, they come twice.
  CHECK(starts("30 2 * * *", "Europe/Berlin", "2024-03-29T12:00:00Z", 3) ==
        Texts{"2024-03-30T01:30:00Z", "2024-04-01T00:30:00Z", "2024-04-02T00:30:00Z"});
  CHECK(starts("30 2 * * *", "Europe/Berlin", "2024-10-26T12:00:00Z", 3) ==
        Texts{"2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-10-28T01:30:00Z"});
  CHECK(starts("0 */6 * * *", "Europe/Berlin", "2024-03-31T00:00:00Z", 2) ==
        Texts{"2024-03-31T04:00:00Z", "2024-03-31T10:00:00Z"});
  // Midnight of September 8 is skipped.
  CHECK(starts("0 0 * * *", "America/Santiago", "2024-09-07T12:00:00Z", 1) == Texts{"2024-09-09T03:00:00Z"});
  // A change of half an hour: 2:00 becomes 1:30.
  CHECK(starts("45 1 * * *", "Australia/Lord_Howe", "2024-04-06T12:00:00Z", 2) ==
        Texts{"2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z"});
}

TEST_CASE("cron_schedule: an invalid schedule is rejected in robfig/cron's words") {
  const std::pair<const char*, const char*> kFaults[] = {
      {"", "empty spec string"},
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"* * * * 7", "end of range (7) above maximum (6): 7"},
      {"5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"1/2/3 * * * *", "too many slashes: 1/2/3"},
      {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"* * * jan-x *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"-1 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"@noon", "unrecognized descriptor: @noon"},
      {"@every 5", "failed to parse duration @every 5: time: invalid duration \"5\""},
  };
  for (const auto& [cron, text] : kFaults) CHECK(fault(cron) == text);
  for (const char* cron : {"  0\t3 * * *  ", "+5 * * * *", "1,,2 * * * *", "*-9 ? * * *", "@yearly"})
    CHECK_MESSAGE(fault(cron).empty(), cron);
}

TEST_CASE("cron_schedule: the next starts are those of robfig/cron 3.0.1") {
  const std::string own = environment("CRON_STARTS");  // further lines in the form that next.go prints
  const std::string file = own.empty() ? KML_SOURCE_DIR "/tests/recorded/cron/next-3.0.1.txt" : own;
  int lines = 0;
  for (const std::string& line : split(read_file(file), '\n')) {
    const std::vector<std::string> parts = split(line, '\t');
    if (parts.size() != 4) continue;
    const auto next = next_after(parse_cron(parts[0]), *TimeZone::find(parts[1]),
                                 Time(std::chrono::seconds(std::stoll(parts[2]))));
    const std::string found =
        next ? std::to_string(std::chrono::floor<std::chrono::seconds>(*next).time_since_epoch().count())
             : "-";
    CHECK_MESSAGE(found == parts[3], line);
    ++lines;
  }
  CHECK(lines >= 1000);
}

namespace {

/// A second implementation of schedules, which compares times one by one.
struct Listed {
  const char* cron;
  std::set<int> minutes, hours, days, weekdays;  ///< empty: all
};

struct Minute {
  Time time;
  std::tm local;
};

/// Each minute after `begin` up to `end`, on the zone's clock according to the C library.
std::vector<Minute> minutes_of(const char* zone, Time begin, Time end) {
  const std::string was = environment("TZ");
  ::setenv("TZ", zone, 1);
  ::tzset();
  std::vector<Minute> minutes;
  for (Time time = std::chrono::floor<std::chrono::minutes>(begin) + 1min; time <= end; time += 1min) {
    const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    ::localtime_r(&seconds, &minutes.emplace_back(Minute{time, {}}).local);
  }
  was.empty() ? ::unsetenv("TZ") : ::setenv("TZ", was.c_str(), 1);
  ::tzset();
  return minutes;
}

/// The matching minutes, found by trying each of them.
std::vector<Time> all_starts(const Listed& schedule, const std::vector<Minute>& minutes) {
  const auto allows = [](const std::set<int>& values, int value) {
    return values.empty() || values.contains(value);
  };
  std::vector<Time> found;
  for (const auto& [time, local] : minutes)
    if (allows(schedule.minutes, local.tm_min) && allows(schedule.hours, local.tm_hour) &&
        allows(schedule.days, local.tm_mday) && allows(schedule.weekdays, local.tm_wday))
      found.push_back(time);
  return found;
}

const Listed kListed[] = {
    {"* * * * *", {}, {}, {}, {}},
    {"*/7 * * * *", {0, 7, 14, 21, 28, 35, 42, 49, 56}, {}, {}, {}},
    {"30 2 * * *", {30}, {2}, {}, {}},
    {"0 0 * * *", {0}, {0}, {}, {}},
    {"15 1,2,3 * * sun", {15}, {1, 2, 3}, {}, {0}},
    {"5 */5 31 * *", {5}, {0, 5, 10, 15, 20}, {31}, {}},
};

}  // namespace

TEST_CASE(
    "cron_schedule: in 10,000 ticks, some of them two days apart, each tick finds the last start since the "
    "tick before") {
  std::mt19937 random(7);
  for (const char* zone_name : {"Europe/Berlin", "Australia/Lord_Howe"}) {
    const TimeZone zone = *TimeZone::find(zone_name);
    // The machine reads its clock every 20 to 80 seconds, and sometimes sleeps for two days.
    std::vector<Time> ticks = {at("2023-03-20T00:00:00Z")};
    while (ticks.size() < 10'001)
      ticks.push_back(ticks.back() + (random() % 85 == 0 ? nanoseconds(48h) : 20s + random() % 61 * 1s));
    const std::vector<Minute> minutes = minutes_of(zone_name, ticks.front(), ticks.back());
    for (const Listed& listed : kListed) {
      const CronSchedule schedule = parse_cron(listed.cron);
      const std::vector<Time> wanted = all_starts(listed, minutes);
      size_t next = 0, wrong = 0;
      Time last = ticks.front();
      for (const Time now : ticks) {
        const std::optional<Time> due = last_start(schedule, zone, last, now);
        std::optional<Time> expected;  // the last one if there are several
        for (; next < wanted.size() && wanted[next] <= now; ++next) expected = wanted[next];
        if (due != expected) ++wrong;
        if (due) last = *due;
      }
      CHECK_MESSAGE(wrong == 0, zone_name << " " << listed.cron);
      // The starts, found one after the other.
      std::vector<Time> stepped;
      for (std::optional<Time> time = ticks.front();
           (time = next_after(schedule, zone, *time)) && *time <= ticks.back();)
        stepped.push_back(*time);
      CHECK_MESSAGE(stepped == wanted, zone_name << " " << listed.cron);
    }
  }
}

TEST_CASE("cron_schedule: the last start before a time is found over a long period") {
  const TimeZone zone = TimeZone::utc();
  const auto last = [&](const char* cron, const char* begin, const char* end) {
    const auto found = last_start(parse_cron(cron), zone, at(begin), at(end));
    return found ? rfc3339(*found) : "";
  };
  CHECK(last("0 3 * * *", "2024-01-01T00:00:00Z", "2024-06-01T02:59:59Z") == "2024-05-31T03:00:00Z");
  CHECK(last("0 3 * * *", "2024-01-01T00:00:00Z", "2024-01-01T03:00:00Z") == "2024-01-01T03:00:00Z");
  CHECK(last("0 3 * * *", "2024-01-01T03:00:00Z", "2024-01-02T02:59:59Z").empty());
  CHECK(last("@yearly", "2000-06-01T00:00:00Z", "2023-12-31T00:00:00Z") == "2023-01-01T00:00:00Z");
  CHECK(last("0 0 29 2 *", "1980-01-01T00:00:00Z", "2023-12-31T00:00:00Z") == "2020-02-29T00:00:00Z");
  CHECK(last("@every 7h", "2024-01-01T00:00:05Z", "2024-01-02T00:00:00Z") == "2024-01-01T21:00:05Z");
  CHECK(last("@every 7h", "2024-01-01T00:00:05Z", "2024-01-01T07:00:04Z").empty());
}

}  // namespace cron_schedule_test
