#include "job/tables/reports.h"

#include <doctest/doctest.h>

#include <sstream>

#include "job/why/objects.h"
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

namespace {

std::string status_of(const Json& job, const Json& pod, const ui::StatusExtras& extras = {}) {
  const Json* pods[] = {&pod};
  std::ostringstream out, err;
  ui::print_status({out, err}, {job}, pods, {}, *parse_rfc3339("2026-01-01T02:00:00Z"), extras);
  return out.str();
}

}  // namespace

TEST_CASE("status_report: a pod on a node that does not answer is not shown as running or ended") {
  using test::make_job, test::make_pod, test::on_node;
  Json plain = make_job("bert"), cancelled = plain, suspended = plain;
  cancelled["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T01:59:00Z";
  suspended["spec"]["suspend"] = true;
  Json lost = on_node(make_pod(plain), "n3");
  lost["status"]["conditions"] =
      parse_json(R"([{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T01:58:00Z"},
      {"type": "ContainersReady", "status": "True"}])",
                 "conditions");
  struct Row {
    const char* what;
    Json job;
    const char* state;
  };
  for (const Row& row : {Row{"it should run", plain, "State      Waiting: node n3 does not answer\n"},
                         Row{"cancelled", cancelled,
                             "State      Cancelling: node n3 does not answer: pod bert-0 may still run\n"},
                         Row{"suspended", suspended,
                             "State      Suspended: node n3 does not answer: pod bert-0 may still run\n"}}) {
    CAPTURE(row.what);
    const std::string text = status_of(row.job, lost);
    CAPTURE(text);
    CHECK(text.find(row.state) != std::string::npos);
    CHECK(text.find("bert-0  Unknown") != std::string::npos);
    CHECK(text.find("Running") == std::string::npos);
  }
}

TEST_CASE("status_report: of a progress bar at the end of a failed pod, only the last drawing is shown") {
  const Json job = test::make_job("bert");
  Json failed = test::on_node(test::make_pod(job), "n1", "Failed");
  const auto ends_with = [&](const char* log) {
    failed["status"]["containerStatuses"] = Json::array(
        {{{"name", "main"},
          {"state", {{"terminated", {{"exitCode", 1}, {"reason", "Error"}, {"message", log}}}}}}});
    return status_of(job, failed);
  };
  const std::string bar = ends_with("epoch 1\n  0%|   | 0/9\r 50%|#  | 4/9\r 56%|#  | 5/9 [00:01<00:01]");
  CAPTURE(bar);
  CHECK(bar.find("exit code 1: 56%|#  | 5/9 [00:01<00:01]\n") != std::string::npos);
  CHECK(bar.find("50%") == std::string::npos);
  const std::string error = ends_with(" 50%|#  | 4/9\r 56%|#  | 5/9\nValueError: no such batch\n");
  CAPTURE(error);
  CHECK(error.find("exit code 1: ValueError: no such batch\n") != std::string::npos);
}

TEST_CASE("status_report: a job that ran before it failed while it waited shows since when, and how long") {
  Json job = test::with_condition(test::make_job("bert"), "Failed", "DeadlineExceeded");
  job["status"]["startTime"] = "2026-01-01T00:00:00Z";
  const Json waiting = test::make_pod(job);
  CHECK(status_of(job, waiting).find("Started") == std::string::npos);
  const std::string text = status_of(job, waiting, {.add_earlier_run = [](const Json&, job::JobView& view) {
                                       view.started = parse_rfc3339("2026-01-01T00:00:01Z");
                                       view.ran = std::chrono::minutes(30);
                                     }});
  CAPTURE(text);
  CHECK(text.find("Started    2026-01-01T00:00:01Z") != std::string::npos);
  CHECK(text.find("Run time   30m") != std::string::npos);
}

}  // namespace status_report_test
