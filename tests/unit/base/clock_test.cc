#include "kml/base/clock.h"

#include <doctest/doctest.h>

#include <vector>

namespace clock_test {

using namespace kml;
using namespace std::chrono_literals;

TEST_CASE("clock: written RFC 3339 times are read back") {
  Time time = Time(std::chrono::sys_days(std::chrono::year(2026) / 2 / 28)) + 23h + 59min + 58s + 123456789ns;
  CHECK(rfc3339(time) == "2026-02-28T23:59:58Z");
  CHECK(rfc3339_micro(time) == "2026-02-28T23:59:58.123456Z");
  CHECK(rfc3339_nano(time) == "2026-02-28T23:59:58.123456789Z");
  CHECK(parse_rfc3339(rfc3339_nano(time)) == time);
  CHECK(parse_rfc3339("2026-03-01T01:29:58.123456789+01:30") == time);
  CHECK(parse_rfc3339("2026-02-28T23:59:58.1234567891Z") == time);
  for (const char* wrong : {"", "2026-02-30T00:00:00Z", "2026-02-28 23:59:58Z", "2026-02-28T23:59:58",
                            "2026-02-28T23:59:58.Z", "2026-02-28T24:00:00Z", "2026-02-28T23:59:58Zx",
                            "0001-01-01T00:00:00Z", "1087-01-01T00:00:10Z", "9999-12-31T23:59:59Z"})
    CHECK_MESSAGE(!parse_rfc3339(wrong), wrong);
}

TEST_CASE("clock: a number of seconds too large for a Time gives the first or the last Time") {
  CHECK(rfc3339(time_after_epoch(1'767'225'600s)) == "2026-01-01T00:00:00Z");
  CHECK(rfc3339(time_after_epoch(253'402'300'799s)) == "2262-04-11T23:47:16Z");  // the year 9999
  CHECK(rfc3339(time_after_epoch(std::chrono::seconds::max())) == "2262-04-11T23:47:16Z");
  CHECK(rfc3339(time_after_epoch(std::chrono::milliseconds::min())) == "1677-09-21T00:12:44Z");
  CHECK(rfc3339(time_after_epoch(std::chrono::duration<double>(1e300))) == "2262-04-11T23:47:16Z");
}

TEST_CASE("clock: durations are parsed, and printed in a short form") {
  CHECK(parse_duration("90") == 90s);
  CHECK(parse_duration("2h30m") == 150min);
  CHECK(parse_duration("1d12h") == 36h);
  for (const char* wrong : {"", "m", "5x", "-3s", "1.5h", "99999999999s"})
    CHECK_MESSAGE(!parse_duration(wrong), wrong);
  CHECK(short_duration(45s) == "45s");
  CHECK(short_duration(125s) == "2m5s");
  CHECK(short_duration(12min + 3s) == "12m");
  CHECK(short_duration(3h + 5min) == "3h5m");
  CHECK(short_duration(50h) == "2d2h");
}

TEST_CASE("clock: a duration that is an upper limit is rounded up") {
  struct Row {
    nanoseconds duration;
    const char* text;
  };
  for (const Row& row : std::vector<Row>{{-1s, "0s"},
                                         {0s, "0s"},
                                         {1ms, "1s"},
                                         {45s, "45s"},
                                         {119s + 1ms, "2m"},
                                         {12min, "12m"},
                                         {12min + 3s, "13m"},
                                         {2h + 59min + 1s, "3h"},
                                         {3h + 5min + 1s, "3h6m"},
                                         {46h + 59min, "47h"},
                                         {47h, "47h"},
                                         {47h + 1s, "2d"},
                                         {11h + 59min + 59s, "12h"},
                                         {12 * 24h + 23h, "13d"},
                                         {7 * 24h + 23h + 1s, "8d"}})
    CHECK(short_duration_at_most(row.duration) == row.text);
  CHECK(short_duration(-5s) == "0s");
}

TEST_CASE("clock: a timestamp in a file name has no colons, and keeps its fraction") {
  CHECK(file_name_time("2026-11-21T14:05:06Z") == "20261121-140506");
  CHECK(file_name_time("2026-11-21T14:05:06.123456789Z") == "20261121-140506.123456789");
}

TEST_CASE("clock: an unstepped clock does not follow the wall clock when that jumps") {
  struct : kml::Clock {
    kml::Time now() const override { return time; }
    kml::Time time = kml::Time(std::chrono::hours(1000));
  } wall;
  const kml::UnsteppedClock clock(wall);
  wall.time += std::chrono::hours(10);
  CHECK(clock.now() >= kml::Time(std::chrono::hours(1000)));
  CHECK(clock.now() < kml::Time(std::chrono::hours(1001)));
}

}  // namespace clock_test
