#include "kml/spec/timetable.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/core/error.h"

namespace timetable_test {

using namespace kml;
using namespace kml::spec;
using namespace std::chrono_literals;

namespace {

const Time kNow = *parse_rfc3339("2024-01-01T00:00:00Z");

std::string refusal(const TimetableFlags& flags) {
  try {
    parse_timetable(flags, kNow);
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    return error.message + " | " + error.why + " | " + error.fix;
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("timetable: --every becomes a cron schedule if it divides an hour or a day") {
  const std::pair<std::chrono::seconds, const char*> kPossible[] = {
      {60s, "* * * * *"},  {5min, "*/5 * * * *"}, {30min, "*/30 * * * *"}, {60min, "0 * * * *"},
      {6h, "0 */6 * * *"}, {12h, "0 */12 * * *"}, {24h, "0 0 * * *"},      {7 * 24h, "0 0 * * 0"},
  };
  for (const auto& [every, cron] : kPossible) CHECK(parse_timetable({"", every, "UTC"}, kNow).cron == cron);
}

TEST_CASE("timetable: any other --every is refused with the nearest possible ones") {
  CHECK(has(refusal({"", 7h, "UTC"}), "use --every 6h or --every 8h"));
  CHECK(has(refusal({"", 90min, "UTC"}), "--every 90m is not possible"));
  CHECK(has(refusal({"", 90min, "UTC"}), "use --every 1h or --every 2h"));
  CHECK(has(refusal({"", 45s, "UTC"}), "use --every 1m"));
  CHECK(has(refusal({"", 0s, "UTC"}), "use --every 1m"));
  CHECK(has(refusal({"", 48h, "UTC"}), "use --every 1d or --every 7d"));
  CHECK(has(refusal({"", 24h * 30, "UTC"}), "use --every 7d,"));
}

TEST_CASE("timetable: what is not a time is refused") {
  CHECK(has(refusal({"0 3 * *", {}, "UTC"}), "expected exactly 5 fields, found 4"));
  CHECK(has(refusal({"0 0 30 2 *", {}, "UTC"}), "never starts a job"));
  CHECK(has(refusal({"TZ=UTC 0 3 * * *", {}, ""}), "--tz Europe/Berlin"));
  CHECK(has(refusal({"0 3 * * *", {}, "Mars"}), "unknown time zone \"Mars\""));
  CHECK(has(refusal({"0 3 * * *", 1h, ""}), "both --cron and --every"));
  CHECK(has(refusal({"", {}, "UTC"}), "--tz needs --cron or --every"));
}

TEST_CASE("timetable: without --tz, the zone is that of this machine") {
  CHECK(!parse_timetable({"0 3 * * *", {}, ""}, kNow).zone.empty());
  CHECK(parse_timetable({"0 3 * * *", {}, "Europe/Berlin"}, kNow).zone == "Europe/Berlin");
}

}  // namespace timetable_test
