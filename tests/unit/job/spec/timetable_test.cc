#include "kml/job/spec/timetable.h"

#include <doctest/doctest.h>

#include <string>
#include <tuple>

#include "kml/base/error.h"

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

TEST_CASE("timetable: --every becomes a cron schedule if it divides an hour or a day, or is a week") {
  const std::pair<std::chrono::seconds, const char*> kPossible[] = {
      {60s, "* * * * *"},  {5min, "*/5 * * * *"}, {30min, "*/30 * * * *"}, {60min, "0 * * * *"},
      {6h, "0 */6 * * *"}, {12h, "0 */12 * * *"}, {24h, "0 0 * * *"},      {7 * 24h, "0 0 * * 0"},
  };
  for (const auto& [every, cron] : kPossible) CHECK(parse_timetable({"", every, "UTC"}, kNow).cron == cron);
}

TEST_CASE("timetable: any other --every is rejected, and the nearest possible ones are named") {
  CHECK(has(refusal({"", 7h, "UTC"}), "use --every 6h or --every 8h"));
  CHECK(has(refusal({"", 90min, "UTC"}), "--every 90m is not possible"));
  CHECK(has(refusal({"", 90min, "UTC"}), "use --every 1h or --every 2h"));
  CHECK(has(refusal({"", 45s, "UTC"}), "use --every 1m"));
  CHECK(has(refusal({"", 0s, "UTC"}), "use --every 1m"));
  CHECK(has(refusal({"", 48h, "UTC"}), "use --every 1d or --every 7d"));
  CHECK(has(refusal({"", 24h * 30, "UTC"}), "use --every 7d,"));
}

TEST_CASE("timetable: an invalid schedule or zone, and flags that do not fit together, are rejected") {
  CHECK(has(refusal({"0 3 * *", {}, "UTC"}), "expected exactly 5 fields, found 4"));
  CHECK(has(refusal({"0 0 30 2 *", {}, "UTC"}), "never starts a job"));
  CHECK(has(refusal({"TZ=UTC 0 3 * * *", {}, ""}), "--tz Europe/Berlin"));
  CHECK(has(refusal({"0 3 * * *", {}, "Mars"}), "unknown time zone \"Mars\""));
  CHECK(has(refusal({"0 3 * * *", 1h, ""}), "--cron cannot be used with --every"));
  CHECK(has(refusal({"", {}, "UTC"}), "--tz needs --cron, --every or --at"));
}

TEST_CASE("timetable: the zone is that of --tz, and is not empty without --tz") {
  CHECK(!parse_timetable({"0 3 * * *", {}, ""}, kNow).zone.empty());
  CHECK(parse_timetable({"0 3 * * *", {}, "Europe/Berlin"}, kNow).zone == "Europe/Berlin");
}

TEST_CASE("timetable: --at is a single start, at the zone's local time") {
  const auto at = [](const std::string& text, const char* zone = "Europe/Berlin") {
    return parse_timetable({"", {}, zone, text}, kNow);  // 1:00 on New Year's Day in Berlin
  };
  const std::tuple<const char*, const char*, const char*> kTimes[] = {
      {"2024-12-01 09:00", "2024-12-01T08:00:00Z", "0 9 1 12 *"},
      {"2024-07-01T9:30", "2024-07-01T07:30:00Z", "30 9 1 7 *"},
      {"today 18:30", "2024-01-01T17:30:00Z", "30 18 1 1 *"},
      {"tomorrow 9:00", "2024-01-02T08:00:00Z", "0 9 2 1 *"},
      {"9:00", "2024-01-01T08:00:00Z", "0 9 1 1 *"},
      {"0:30", "2024-01-01T23:30:00Z", "30 0 2 1 *"},
      {"+2h", "2024-01-01T02:00:00Z", "0 3 1 1 *"},
      {"+90s", "2024-01-01T00:02:00Z", "2 1 1 1 *"},
      {"2024-02-29T12:00:00-05:00", "2024-02-29T17:00:00Z", "0 18 29 2 *"},
  };
  for (const auto& [text, time, cron] : kTimes) {
    CAPTURE(text);
    const Timetable timetable = at(text);
    CHECK(rfc3339(timetable.once.value()) == time);
    CHECK(timetable.cron == cron);
    CHECK(timetable.zone == "Europe/Berlin");
  }
  // 2:30 comes twice on that day, so a schedule of that zone would start two jobs.
  const Timetable twice = at("2024-10-27 02:30");
  CHECK(rfc3339(*twice.once) == "2024-10-27T00:30:00Z");
  CHECK(twice.cron + " " + twice.zone == "30 0 27 10 * UTC");

  const auto refused = [](const std::string& text) { return refusal({"", {}, "Europe/Berlin", text}); };
  CHECK(has(refused("2024-03-31 02:30"), "does not exist"));
  CHECK(has(refused("2023-12-31 23:00"), "has passed | it is 2024-01-01 01:00 now"));
  CHECK(has(refused("today 0:30"), "has passed"));
  CHECK(has(refused("+0s"), "has passed"));
  CHECK(has(refused("2025-06-01 09:00"), "more than a year away"));
  for (const char* text : {"soon", "25:00", "9", "2024-02-30 09:00", "2024-12-01", "tomorrow", "+x",
                           "tomorrow 9:0", "-2h", "+90", "+1h30"})
    CHECK(has(refused(text), "is not a time"));
  CHECK(has(refusal({"0 3 * * *", {}, "", "9:00"}), "--cron cannot be used with --at"));
}

}  // namespace timetable_test
