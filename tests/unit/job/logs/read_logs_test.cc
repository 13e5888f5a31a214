#include <doctest/doctest.h>

#include "job/logs/recording_sink.h"
#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace read_logs_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kPods = "/api/v1/namespaces/team/pods";

Json job(const std::string& name) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", "team"}, {"uid", name + "-uid"}}},
          {"spec", {{"completions", 2}, {"template", {{"spec", Json::object()}}}}}};
}

Json pod(const std::string& job, const std::string& index, int restarts = 0) {
  Json status = {
      {"name", "main"}, {"restartCount", restarts}, {"containerID", "id" + std::to_string(restarts)}};
  status["state"]["running"] = Json::object();
  if (restarts > 0) status["lastState"]["terminated"] = {{"exitCode", 1}, {"containerID", "before"}};
  return {{"metadata",
           {{"name", job + "-" + index},
            {"namespace", "team"},
            {"uid", job + index},
            {"labels", {{api::kLegacyJobName, job}, {api::kCompletionIndex, index}}},
            {"ownerReferences", controlled_by(job, job + "-uid")}}},
          {"spec", {{"nodeName", "n"}, {"containers", {{{"name", "main"}}}}}},
          {"status", {{"phase", "Running"}, {"containerStatuses", {status}}}}};
}

struct Fixture {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  RecordingSink sink;
  LogSelection selection{.jobs = {job("bert")}};

  void pods(const std::vector<Json>& items) {
    transport.answer("GET", kPods, {{"metadata", Json::object()}, {"items", items}});
  }
  /// For the two requests that look for an earlier run of the job.
  void no_events() {
    for (int i = 0; i < 2; ++i)
      transport.answer("GET", "/api/v1/namespaces/team/events",
                       {{"metadata", Json::object()}, {"items", Json::array()}});
  }
  void log(const std::string& pod, const std::string& query, std::vector<std::string> pieces) {
    transport.stub("GET", kPods + "/" + pod + "/log?container=main&" + query + "timestamps=true",
                   {.pieces = std::move(pieces)});
  }
  std::string read() {
    read_logs(client, selection, sink);
    return sink.said;
  }
};

std::string at(const std::string& second, const std::string& text) {
  return "2026-01-01T00:00:" + second + "Z " + text + "\n";
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "read_logs: a label selector selects only pods of the selected owners") {
  selection = {.namespace_name = "team",
               .pod_selector = "kml.dev/sweep=s",
               .owners = Owners{.kind = "Run", .uids = {"bert-uid"}}};
  Json stranger = pod("bert", "1"), earlier = pod("bert", "2");
  stranger["metadata"].erase("ownerReferences");
  earlier["metadata"]["ownerReferences"] = controlled_by("bert", "uid of an earlier one", "lab/v1", "Run");
  pods({pod("bert", "0"), stranger, earlier});
  log("bert-0", "", {at("10.1", "own")});
  CHECK(contains(read(), "own"));
}

TEST_CASE_FIXTURE(Fixture, "read_logs: lines of all pods are printed in the order of their times") {
  selection.jobs.push_back(job("gpt"));
  pods({pod("bert", "0"), pod("bert", "1")});
  pods({pod("gpt", "7")});
  log("bert-0", "", {at("10.1", "a"), at("10.3", "c") + at("12", "f")});
  log("bert-1", "", {at("10.2", "b") + at("10.3", "d") + at("13", "g")});
  log("gpt-7", "", {at("11", "e")});
  CHECK(read() == "0.0 a\n1.0 b\n0.0 c\n1.0 d\n7.0 e\n0.0 f\n1.0 g\n");
}

TEST_CASE_FIXTURE(Fixture,
                  "read_logs: for a restarted container, both runs are printed, or only the previous one") {
  pods({pod("bert", "0", 2)});
  log("bert-0", "previous=true&", {at("10", "before")});
  SUBCASE("both runs") {
    log("bert-0", "", {at("11", "now")});
    CHECK(read() == "0.1 before\n0.2 now\n");
  }
  SUBCASE("only the previous run") {
    selection.previous = true;
    CHECK(read() == "0.1 before\n");
  }
}

TEST_CASE_FIXTURE(Fixture, "read_logs: a container that was never restarted has no previous run") {
  pods({pod("bert", "0")});
  selection.previous = true;
  CHECK(read().empty());
}

TEST_CASE_FIXTURE(Fixture, "read_logs: a log that cannot be read is reported, and the others are printed") {
  pods({pod("bert", "0"), pod("bert", "1")});
  const auto fails = [&](const char* pod) {
    for (int i = 0; i < 5; ++i)
      transport.answer("GET", kPods + pod + "/log", {{"kind", "Status"}, {"message", "no such file"}}, 500);
  };
  fails("/bert-0");
  SUBCASE("some can be read") {
    log("bert-1", "", {at("10", "b")});
    CHECK(read() == "1.0 b\n[trouble]");
  }
  SUBCASE("none can") {
    fails("/bert-1");
    CHECK_THROWS_AS(read(), Error);
  }
}

TEST_CASE_FIXTURE(
    Fixture, "read_logs: if the server could not answer, the log is requested again, and reading continues") {
  for (const int status : {401, 429, 500, 502, 503, 504}) {
    CAPTURE(status);
    sink.said.clear();
    pods({pod("bert", "0")});
    transport.stub("GET", kPods + "/bert-0/log", {.status = status});
    log("bert-0", "", {at("10", "a")});
    CHECK(read() == "0.0 a\n");
  }
}

TEST_CASE_FIXTURE(Fixture, "read_logs: a web page is not a log") {
  pods({pod("bert", "0")});
  transport.stub(
      "GET", kPods + "/bert-0/log",
      {.pieces = {"<html>Sign in</html>\n"}, .headers = {{"content-type", "text/html; charset=utf-8"}}});
  CHECK_THROWS_AS(read(), Error);
  CHECK(sink.said.empty());
}

TEST_CASE_FIXTURE(Fixture, "read_logs: an empty log is reported, but not an empty part of a log") {
  pods({pod("bert", "0")});
  SUBCASE("no line at all") {
    log("bert-0", "", {});
    CHECK(read() == "[silent]");
  }
  SUBCASE("no recent line") {
    selection.since = std::chrono::seconds(60);
    transport.stub("GET", kPods + "/bert-0/log?container=main&timestamps=true&sinceSeconds=60", {});
    CHECK(read().empty());
  }
}

TEST_CASE_FIXTURE(Fixture, "read_logs: for a job that has ended without pods, kml does not promise a log") {
  selection.jobs[0]["status"]["conditions"] = {{{"type", "Failed"}, {"status", "True"}}};
  pods({});
  no_events();
  CHECK(read() == "[bert: failed; no log is left]");
  selection.jobs[0]["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T00:00:00Z";
  pods({});
  CHECK(read().ends_with("[bert: cancelled; it never ran]"));
}

}  // namespace read_logs_test
