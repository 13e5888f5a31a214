#include "kml/sweep/journal/timeline.h"

#include <doctest/doctest.h>

namespace kml::sweep::timeline_test {

namespace {

Json record(const char* kind, int trial, const std::string& second, Json more = Json::object()) {
  if (kind == std::string("ended")) more["outcome"] = "complete";
  more.update({{"record", kind}, {"trial", trial}, {"time", "2026-11-20T08:00:" + second + "Z"}});
  return more;
}

}  // namespace

TEST_CASE("timeline: a trial has a span for each time in which one of its jobs ran") {
  Timeline timeline;
  for (const Json& each :
       {record("begun", 0, "01"), record("running", 0, "02"), record("begun", 1, "03"),
        record("running", 1, "02"), record("rung", 0, "04", {{"decision", "go"}}),
        record("rung", 0, "05", {{"decision", "pause"}}), record("running", 0, "07"),
        record("failed", 1, "08"), record("running", 1, "09"), record("ended", 0, "06"),
        record("ended", 2, "10"), record("running", 3, "11"), record("waiting", 3, "13"),
        record("running", 3, "15"), record("ended", 3, "16"), record("running", 4, "17"),
        record("withdrawn", 4, "18"), record("running", 4, "30"), record("ended", 4, "31")})
    timeline.apply(record_from_json(each));
  const auto& spans = timeline.spans();
  REQUIRE(spans.size() == 8);
  CHECK(spans[0].trial == 0);
  CHECK(*spans[0].end - spans[0].begin == std::chrono::seconds(3));
  CHECK(*spans[1].end - spans[1].begin == std::chrono::seconds(5));
  CHECK(*spans[6].end - spans[6].begin == std::chrono::seconds(1));
  CHECK(*spans[2].end == spans[2].begin);  // the clock was set back
  CHECK(spans[3].trial == 1);
  CHECK(!spans[3].end);
  CHECK(*spans[4].end - spans[4].begin == std::chrono::seconds(2));  // preempted
  CHECK(*spans[5].end - spans[5].begin == std::chrono::seconds(1));
}

}  // namespace kml::sweep::timeline_test
