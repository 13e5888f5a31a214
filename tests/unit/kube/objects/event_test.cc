#include "kml/kube/objects/object.h"

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

TEST_CASE("event: an event has the time of its last occurrence, whichever fields the reporter sets") {
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

TEST_CASE("event: within a second, events are in the order in which they were written") {
  const auto event = [](const std::string& time, const std::string& revision) {
    return Json{{"metadata", {{"resourceVersion", revision}}}, {"lastTimestamp", time}};
  };
  const Json a = event("2026-11-21T14:00:03Z", "99"), b = event("2026-11-21T14:00:03Z", "100"),
             c = event("2026-11-21T14:00:04Z", "98");
  CHECK(is_earlier_event(a, b));
  CHECK_FALSE(is_earlier_event(b, a));
  CHECK(is_earlier_event(b, c));
  CHECK_FALSE(is_earlier_event(a, a));
}

}  // namespace event_test
