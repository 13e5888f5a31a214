#include "local/events/attempts.h"

#include <doctest/doctest.h>

#include "kml/base/json.h"

namespace kml::local {

TEST_CASE("attempts: a pod that ended before any of its containers is an attempt without an exit code") {
  const Json attempt = attempt_of(Json::parse(R"({
    "metadata": {"name": "p", "uid": "u"},
    "spec": {"nodeName": "n", "containers": [{"name": "main"}]},
    "status": {"phase": "Failed", "reason": "SupervisorLost", "startTime": "2026-11-24T10:00:00Z",
               "containerStatuses": [{"name": "main", "state": {"waiting": {}}}]}})"));
  CHECK(attempt.at("reason") == "SupervisorLost");
  CHECK(attempt.at("start") == "2026-11-24T10:00:00Z");
  CHECK_FALSE(attempt.contains("exitCode"));
}

}  // namespace kml::local
