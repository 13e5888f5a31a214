#include "kml/api/object.h"

#include <doctest/doctest.h>

namespace event_test {

using namespace kml;
using namespace kml::api;

namespace {

std::string seen(const Json& event) {
  const auto time = time_of_event(event);
  return time ? rfc3339(*time) : "never";
}

}  // namespace

TEST_CASE("event: its time is when it was last seen, in whichever fields its reporter fills in") {
  Json event = {{"metadata", Json::object()}};
  CHECK(seen(event) == "never");
  event["metadata"]["creationTimestamp"] = "2026-11-21T14:00:00Z";
  CHECK(seen(event) == "2026-11-21T14:00:00Z");
  event["firstTimestamp"] = "2026-11-21T14:00:01Z";
  CHECK(seen(event) == "2026-11-21T14:00:01Z");
  event["eventTime"] = "2026-11-21T14:00:02.000000Z";
  CHECK(seen(event) == "2026-11-21T14:00:02Z");
  event["lastTimestamp"] = "2026-11-21T14:00:03Z";
  CHECK(seen(event) == "2026-11-21T14:00:03Z");
  event["series"] = {{"count", 2}, {"lastObservedTime", "2026-11-21T14:00:04.000000Z"}};
  CHECK(seen(event) == "2026-11-21T14:00:04Z");
}

}  // namespace event_test
