#include "job/attempts/eviction.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace eviction_test {

using namespace kml;
using namespace kml::job;

namespace {

/// A time of the day on which the Workload was created, at 09:00.
Time at(const std::string& clock) {
  return *parse_rfc3339("2026-08-01T" + clock + ":00Z");
}

Json condition(const char* type, const char* status, const char* reason, const char* clock) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"lastTransitionTime", "2026-08-01T" + std::string(clock) + ":00Z"}};
}

Json workload(const std::vector<Json>& conditions, const Json& status = Json::object()) {
  Json object = {{"metadata", {{"name", "w"}, {"namespace", "lab"}, {"uid", "w1"}}}};
  object["status"] = status;
  object["status"]["conditions"] = conditions;
  return object;
}

/// How often Kueue evicted it, as new versions of Kueue count it, and how long it had run.
Json counted(const char* reason, int times, int seconds) {
  return {{"schedulingStats", {{"evictions", {{{"reason", reason}, {"count", times}}}}}},
          {"accumulatedPastExecutionTimeSeconds", seconds}};
}

}  // namespace

TEST_CASE("eviction: the times in which a Workload was not admitted, even with older versions of Kueue") {
  const Json reserved = condition("QuotaReserved", "True", "QuotaReserved", "11:00"),
             waits = condition("QuotaReserved", "False", "Pending", "10:00"),
             evicted = condition("Evicted", "True", "Preempted", "10:00"),
             not_ready = condition("Evicted", "True", "PodsReadyTimeout", "10:00"),
             was_evicted = condition("Evicted", "False", "QuotaReserved", "11:00"),
             requeued = condition("Requeued", "True", "Preempted", "10:00");
  const Time created = at("09:00"), now = at("12:00");
  struct Row {
    const char* what;
    Json object;
    std::vector<IdleTime> idle;
  };
  for (const Row& row : std::vector<Row>{
           {"it waits", workload({}), {{created, now}}},
           {"it was admitted", workload({reserved}), {{created, at("11:00")}}},
           {"it was preempted once, and waits",
            workload({evicted, waits}, counted("Preempted", 1, 1800)),
            {{created, at("09:30")}, {at("10:00"), now}}},
           {"it was preempted once, and is admitted again",
            workload({was_evicted, requeued, reserved}, counted("Preempted", 1, 1800)),
            {{created, at("09:30")}, {at("10:00"), at("11:00")}}},
           {"it was preempted twice, and waits",
            workload({evicted, waits}, counted("Preempted", 2, 1800)),
            {{at("10:00"), now}}},
           {"it was preempted twice, and is admitted again",
            workload({was_evicted, reserved}, counted("Preempted", 2, 1800)),
            {}},
           {"an older Kueue preempted it", workload({evicted, waits}), {{at("10:00"), now}}},
           {"an older Kueue evicted it for another reason",
            workload({not_ready, waits}),
            {{at("10:00"), now}}},
           {"an older Kueue admitted it again", workload({was_evicted, reserved}), {}},
           {"the oldest Kueue admitted it again",
            workload({reserved}, {{"accumulatedPastExexcutionTimeSeconds", 1800}}),
            {}},
       }) {
    CAPTURE(row.what);
    CHECK(idle_times(row.object, created, now) == row.idle);
  }
}

}  // namespace eviction_test
