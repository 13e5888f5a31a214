#include <doctest/doctest.h>

#include <optional>

#include "kml/base/json.h"
#include "kml/engine/watching/job_runner.h"

namespace seen_end_test {

using namespace kml;
using namespace kml::engine;

TEST_CASE("seen_end: reads the training operator's conditions, a failure first") {
  const EndConditions ends{JsonQuery(R"(status.conditions.#(type=="Succeeded")#|#(status=="True")#)"),
                           JsonQuery(R"(status.conditions.#(type=="Failed")#|#(status=="True")#)")};
  const auto job = [](const char* conditions) {
    return Json{{"status", {{"conditions", Json::parse(conditions)}}}};
  };
  CHECK(!seen_end(ends, Json::object()));
  CHECK(!seen_end(ends, job(R"([{"type": "Running", "status": "True"}])")));
  CHECK(!seen_end(ends, job(R"([{"type": "Succeeded", "status": "False"}])")));
  CHECK(seen_end(ends, job(R"([{"type": "Succeeded", "status": "True"}])"))->succeeded);
  const auto failed = seen_end(ends, job(R"([{"type": "Succeeded", "status": "True"},
    {"type": "Failed", "status": "True", "reason": "TFJobFailed", "message": "worker 1 exited"}])"));
  REQUIRE(failed);
  CHECK(!failed->succeeded);
  CHECK(failed->cause == "TFJobFailed: worker 1 exited");
}

TEST_CASE("seen_end: a phase is read, and a path may lead to something that is not an object") {
  const EndConditions ends{JsonQuery(R"(status.[@this].#(phase=="Succeeded")#)"), JsonQuery("status.phase")};
  const Json job = {{"status", {{"phase", "Succeeded"}}}};
  CHECK(seen_end(ends, job)->succeeded);
  CHECK(!seen_end(ends, Json{{"status", {{"phase", "Running"}}}}));
  const EndConditions failing{JsonQuery("spec.none"), JsonQuery(R"(status.[@this].#(phase=="Error"))")};
  CHECK(seen_end(failing, Json{{"status", {{"phase", "Error"}}}})->cause == "it failed");
}

}  // namespace seen_end_test
