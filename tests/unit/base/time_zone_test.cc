#include "kml/base/time_zone.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "kml/base/files.h"

namespace time_zone_test {

using namespace kml;
using namespace std::chrono_literals;

namespace {

Time at(const char* text) {
  return *parse_rfc3339(text);
}

/// Sets TZ until the end of the test.
class ZoneOfProcess {
 public:
  explicit ZoneOfProcess(const char* name) : was_(environment("TZ")) { ::setenv("TZ", name, 1); }
  ~ZoneOfProcess() { was_.empty() ? ::unsetenv("TZ") : ::setenv("TZ", was_.c_str(), 1); }

 private:
  const std::string was_;
};

}  // namespace

TEST_CASE("time_zone: the offset changes with daylight saving time, and over the years") {
  const TimeZone berlin = *TimeZone::find("Europe/Berlin");
  CHECK(berlin.offset(at("2024-03-31T00:59:59.999Z")) == 1h);
  CHECK(berlin.offset(at("2024-03-31T01:00:00Z")) == 2h);
  CHECK(berlin.offset(at("2024-10-27T00:59:59Z")) == 2h);
  CHECK(berlin.offset(at("2024-10-27T01:00:00Z")) == 1h);
  CHECK(TimeZone::find("Europe/Moscow")->offset(at("2012-01-01T00:00:00Z")) == 4h);
  CHECK(TimeZone::find("Asia/Kathmandu")->offset(at("2024-01-01T00:00:00Z")) == 5h + 45min);
  CHECK(TimeZone::utc().offset(at("2024-07-01T00:00:00Z")) == 0s);
}

TEST_CASE("time_zone: only names in the database are found") {
  for (const char* name : {"UTC", "Etc/UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5"})
    CHECK_MESSAGE(TimeZone::find(name), name);
  for (const char* name : {"", "Local", "local", "Mars", "Europe", "/etc/localtime", "../zoneinfo/UTC",
                           "Europe/../UTC", "./UTC", "-UTC", "UTC ", "zone.tab"})
    CHECK_MESSAGE(!TimeZone::find(name), name);
}

TEST_CASE("time_zone: this machine's zone is TZ, if that names a zone") {
  {
    const ZoneOfProcess zone("Asia/Kolkata");
    CHECK(local_zone_name() == "Asia/Kolkata");
    CHECK(TimeZone::local().offset(at("2024-01-01T00:00:00Z")) == 5h + 30min);
  }
  const ZoneOfProcess zone("CET-1CEST");
  CHECK(TimeZone::find(local_zone_name()));
}

TEST_CASE("time_zone: times are written with the zone's offset") {
  const Time time = at("2024-01-01T02:03:04Z");
  CHECK(rfc3339_in(TimeZone::utc(), time) == "2024-01-01T02:03:04Z");
  CHECK(rfc3339_in(*TimeZone::find("Asia/Kolkata"), time) == "2024-01-01T07:33:04+05:30");
  CHECK(rfc3339_in(*TimeZone::find("America/New_York"), time) == "2023-12-31T21:03:04-05:00");
  CHECK(minute_in(*TimeZone::find("America/New_York"), time) == "2023-12-31 21:03");
}

}  // namespace time_zone_test
