#include "job/tables/reports.h"

#include <doctest/doctest.h>

#include <sstream>

#include "kml/job/tables/job_tables.h"

namespace status_report_test {

using namespace kml;
using namespace std::chrono_literals;

TEST_CASE("status_report: the age of a repeated event starts at its last occurrence, whoever reports it") {
  const Json job = Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "bert",
    "namespace": "default", "uid": "u1", "creationTimestamp": "2026-11-21T12:00:00Z"}, "spec": {}})");
  const Json about = {{"uid", "u1"}};
  const std::vector<Json> events = {
      {{"involvedObject", about},
       {"reason", "SeenAgain"},
       {"eventTime", "2026-11-21T13:00:00.000000Z"},
       {"series", {{"count", 9}, {"lastObservedTime", "2026-11-21T13:59:00.000000Z"}}}},
      {{"involvedObject", about}, {"reason", "SeenOnce"}, {"lastTimestamp", "2026-11-21T13:30:00Z"}}};
  std::ostringstream out, err;
  ui::print_status({out, err}, {job}, {}, events, *parse_rfc3339("2026-11-21T14:00:00Z"));
  const std::string text = out.str();
  CAPTURE(text);
  CHECK(text.find("30m  SeenOnce") < text.find("60s  SeenAgain"));
  CHECK(text.find("60s  SeenAgain") != std::string::npos);
}

TEST_CASE("status_report: the attempts of each of several parallel pods are numbered separately") {
  std::vector<job::Attempt> attempts(4);
  attempts[0].index = "worker-0";
  attempts[1].index = "launcher";
  attempts[2].index = "worker-1";
  attempts[3].index = "launcher";
  for (job::Attempt& attempt : attempts) attempt.result = "Failed";
  std::ostringstream out, err;
  ui::print_attempts({out, err}, attempts, Time());
  CHECK(out.str() ==
        "ATTEMPT  INDEX     RESULT\n1        worker-0  Failed\n1        launcher  Failed\n"
        "1        worker-1  Failed\n2        launcher  Failed\n");
}

}  // namespace status_report_test
