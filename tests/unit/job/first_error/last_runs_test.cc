#include <doctest/doctest.h>

#include "kml/job/first_error/first_error.h"
#include "support/owner.h"

namespace last_runs_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("first_error: if only last attempts count, a run is left out once the container has ended again") {
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", {{"name", "bert"}, {"namespace", "team"}, {"uid", "j"}}}};
  Json restarted = {
      {"metadata",
       {{"name", "bert-a"}, {"namespace", "team"}, {"ownerReferences", controlled_by("bert", "j")}}},
      {"spec", {{"nodeName", "n"}, {"containers", {{{"name", "main"}}}}}},
      {"status",
       {{"phase", "Failed"}, {"containerStatuses", {{{"name", "main"}, {"containerID", "last"}}}}}}};
  Json& status = restarted["status"]["containerStatuses"][0];
  status["restartCount"] = 1;
  status["state"]["terminated"] = {
      {"exitCode", 4}, {"finishedAt", "2026-01-01T00:00:10Z"}, {"containerID", "last"}};
  status["lastState"]["terminated"] = {
      {"exitCode", 3}, {"finishedAt", "2026-01-01T00:00:05Z"}, {"containerID", "before"}};
  const auto codes = [&](bool only_last_runs) {
    std::vector<int> found;
    for (const Death& death : deaths_of(job, {restarted}, only_last_runs))
      found.push_back(death.container_code);
    return found;
  };
  CHECK(codes(false) == std::vector<int>{3, 4});
  CHECK(codes(true) == std::vector<int>{4});
  SUBCASE("a last run that succeeded leaves out the earlier failure, too") {
    restarted["status"]["phase"] = "Succeeded";
    status["state"]["terminated"]["exitCode"] = 0;
    CHECK(codes(true).empty());
  }
  SUBCASE("a last run that was only stopped with its job is left out, and the crash before it counts") {
    restarted["status"]["reason"] = "BackoffLimitExceeded";
    status["state"]["terminated"]["exitCode"] = 143;
    CHECK(codes(true) == std::vector<int>{3});
    CHECK(codes(false) == std::vector<int>{3});
    status["lastState"] = Json::object();
    CHECK(codes(true) == std::vector<int>{143});
  }
  SUBCASE("the container waits for its next run") {
    status["state"] = {{"waiting", {{"reason", "CrashLoopBackOff"}}}};
    CHECK(codes(true) == std::vector<int>{3});
  }
}

}  // namespace last_runs_test
