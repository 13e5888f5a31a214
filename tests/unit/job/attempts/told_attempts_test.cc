#include "job/attempts/merge.h"

#include <doctest/doctest.h>

namespace told_attempts_test {

using namespace kml;
using namespace kml::job;

namespace {

const Json kJob = {{"kind", "Job"},
                   {"metadata", {{"name", "bert"}, {"creationTimestamp", "2026-08-01T09:00:00Z"}}}};

std::string line(int number, const std::string& pod, const std::string& more,
                 const std::string& start = "2026-08-01T09:00:10Z") {
  return "kml-attempt: {\"attempt\":" + std::to_string(number) + ",\"pod\":\"" + pod +
         "\",\"node\":\"n1\",\"start\":\"" + start + "\"" + more + "}\n";
}

}  // namespace

TEST_CASE("told attempts: of several lines about one attempt, the last is used") {
  const std::string log = "Epoch 1\n" + line(1, "bert-a", ",\"first_step\":0") +
                          line(1, "bert-a",
                               ",\"first_step\":0,\"end\":\"2026-08-01T09:12:31Z\",\"last_step\":639,"
                               "\"reason\":\"SIGTERM\"") +
                          "loss=0.5\n" + line(2, "bert-b", ",\"first_step\":640");
  const std::vector<Attempt> attempts = told_attempts(log, kJob);
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].pod == "bert-a");
  CHECK(attempts[0].node == "n1");
  CHECK(attempts[0].last_step == 639);
  CHECK(attempts[0].result == "stopped by SIGTERM from an unknown sender");
  CHECK(rfc3339(*attempts[0].end) == "2026-08-01T09:12:31Z");
  CHECK(attempts[1].first_step == 640);
  CHECK_FALSE(attempts[1].last_step);
  CHECK(attempts[1].result.empty());
}

TEST_CASE("told attempts: the printed lines show whether a run succeeded or failed") {
  const auto result = [](const std::string& reason) {
    return told_attempts(line(1, "bert-a", ",\"end\":\"2026-08-01T09:12:31Z\",\"reason\":\"" + reason + "\""),
                         kJob)[0]
        .result;
  };
  CHECK(result("finished") == "Succeeded");
  CHECK(result("error: no space") == "error: no space");
}

TEST_CASE("told attempts: attempts that another job wrote to the same folder are left out") {
  CHECK(told_attempts(line(1, "gpt-a", ""), kJob).empty());
  CHECK(told_attempts(line(1, "bert-a", "", "2026-08-01T08:00:00Z"), kJob).empty());
  CHECK(told_attempts(line(1, "", ""), kJob).size() == 1);
}

TEST_CASE("told attempts: other lines and incomplete lines are skipped") {
  for (const char* text :
       {"", "\n\n", "kml-attempt: ", "kml-attempt: []\n", "kml-attempt: {\"attempt\":\"1\"}\n",
        "kml-attempt: {\"att", "x kml-attempt: {\"attempt\":1}\n"})
    CHECK(told_attempts(text, kJob).empty());
  CHECK(told_attempts("kml-attempt: {\"attempt\":1,\"pod\":\"bert-" + std::string(5000, 'x') + "\"}\n", kJob)
            .empty());
}

}  // namespace told_attempts_test
