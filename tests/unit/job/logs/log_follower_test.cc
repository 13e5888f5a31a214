#include "job/logs/log_follower.h"

#include <doctest/doctest.h>

#include "job/logs/recording_sink.h"
#include "kml/kube/objects/labels.h"
#include "support/fake_transport.h"
#include "support/owner.h"

namespace log_follower_test {

using namespace kml;
using namespace kml::job;
using namespace std::chrono_literals;

namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/team/jobs", kPods = "/api/v1/namespaces/team/pods";
const std::string kLine = "2026-01-01T00:00:10.1Z line\n";

Json job(const Json& status, const std::string& name = "bert") {
  return {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", name}, {"namespace", "team"}, {"uid", name + "-uid"}, {"resourceVersion", "5"}}},
      {"spec", {{"completions", 2}, {"parallelism", 2}, {"template", {{"spec", Json::object()}}}}},
      {"status", status}};
}

const Json kDone = {{"conditions", {{{"type", "Complete"}, {"status", "True"}}}}};

Json container(const std::string& name, const std::string& state, int restarts = 0) {
  Json status = {{"name", name}, {"restartCount", restarts}};
  if (state != "waiting") status["containerID"] = "id" + std::to_string(restarts);
  status["state"][state] = Json::object();
  return status;
}

Json pod(const std::string& index, const std::vector<Json>& statuses, const std::vector<Json>& init = {},
         const std::string& phase = "Running") {
  Json result = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", "bert-" + index},
        {"namespace", "team"},
        {"uid", "uid" + index},
        {"resourceVersion", "6" + index},
        {"labels", {{api::kLegacyJobName, "bert"}, {api::kCompletionIndex, index}}},
        {"ownerReferences", controlled_by("bert", "bert-uid")}}},
      {"spec", {{"nodeName", "n"}, {"containers", Json::array()}, {"initContainers", Json::array()}}},
      {"status", {{"phase", phase}, {"containerStatuses", statuses}, {"initContainerStatuses", init}}}};
  for (const Json& status : statuses) result["spec"]["containers"].push_back({{"name", status["name"]}});
  for (const Json& status : init) result["spec"]["initContainers"].push_back({{"name", status["name"]}});
  return result;
}

struct Fixture {
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  RecordingSink sink;
  LogSelection selection{.jobs = {job({{"active", 2}})}};
  std::unique_ptr<LogFollower> follower;

  static Json list(const std::vector<Json>& items) {
    return {{"kind", "List"}, {"metadata", {{"resourceVersion", "5"}}}, {"items", items}};
  }
  static FakeTransport::Stub events(const std::vector<std::pair<std::string, Json>>& events) {
    FakeTransport::Stub stub{.stays_open = true};
    for (const auto& [type, object] : events)
      stub.pieces.push_back(Json{{"type", type}, {"object", object}}.dump() + "\n");
    return stub;
  }
  void job_becomes(const std::vector<Json>& statuses) {
    transport.answer("GET", kJobs, list({selection.jobs[0]}));
    std::vector<std::pair<std::string, Json>> changes;
    for (const Json& status : statuses) {
      changes.push_back({"MODIFIED", job(status)});
      changes.back().second["metadata"]["resourceVersion"] = std::to_string(10 + changes.size());
    }
    transport.stub("GET", kJobs, events(changes));
  }
  void log(const std::string& pod, const std::string& query, const std::string& text,
           bool stays_open = false) {
    transport.stub("GET", kPods + "/" + pod + "/log?" + query + "timestamps=true",
                   {.pieces = {text}, .stays_open = stays_open});
  }
  /// Whether everything has ended within that time.
  bool run_for(std::chrono::milliseconds time) {
    if (!follower) follower = std::make_unique<LogFollower>(client, selection, sink);
    const auto end = transport.now() + time;
    while (!follower->advance()) {
      if (transport.now() >= end) return false;
      follower->tell_waiting();
      transport.wait(100ms);
    }
    return true;
  }
};

}  // namespace

TEST_CASE_FIXTURE(
    Fixture,
    "log_follower: a pod that appears later is followed too, and the job's end is reported after its lines") {
  job_becomes({kDone});
  transport.answer("GET", kPods, list({pod("0", {container("main", "terminated")})}));
  transport.stub("GET", kPods, events({{"ADDED", pod("1", {container("main", "terminated")})}}));
  transport.answer(
      "GET", kPods,
      list({pod("0", {container("main", "terminated")}), pod("1", {container("main", "terminated")})}));
  log("bert-0", "container=main&", kLine);
  log("bert-1", "container=main&", kLine);
  CHECK(run_for(10s));
  CHECK(sink.said == "0.0 line\n[end 0]1.0 line\n[end 0][job Succeeded]");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_follower: logs of init containers and sidecars are read, under their own names") {
  job_becomes({kDone});
  const Json all = pod("0", {container("main", "terminated")},
                       {container("fetch", "terminated"), container("proxy", "terminated")});
  transport.answer("GET", kPods, list({all}));
  transport.stub("GET", kPods, events({}));
  transport.answer("GET", kPods, list({all}));
  for (const char* name : {"fetch", "proxy", "main"})
    log("bert-0", "container=" + std::string(name) + "&", kLine);
  CHECK(run_for(10s));
  CHECK(sink.said == "0/fetch.0 line\n[end 0]0/proxy.0 line\n[end 0]0.0 line\n[end 0][job Succeeded]");
}

TEST_CASE_FIXTURE(Fixture, "log_follower: follows only the requested rank, container and pods") {
  SUBCASE("rank") {
    selection.rank = 1;
  }
  SUBCASE("pattern") {
    selection.pod_pattern = "t-1$";
  }
  SUBCASE("container") {
    selection.container = "b";
  }
  job_becomes({kDone});
  const std::vector<Json> pods = {pod("0", {container("a", "terminated")}),
                                  pod("1", {container("b", "terminated")})};
  transport.answer("GET", kPods, list(pods));
  transport.stub("GET", kPods, events({}));
  transport.answer("GET", kPods, list(pods));
  log("bert-1", "container=b&", kLine);
  CHECK(run_for(10s));
  CHECK(sink.said == "1.0 line\n[end 0][job Succeeded]");
}

TEST_CASE_FIXTURE(Fixture, "log_follower: the name of an unknown container is an error") {
  selection.container = "mian";
  job_becomes({});
  transport.answer("GET", kPods, list({pod("0", {container("main", "running")})}));
  transport.stub("GET", kPods, events({}));
  CHECK_THROWS_WITH(run_for(10s), "no pod has a container \"mian\"");
}

TEST_CASE_FIXTURE(Fixture, "log_follower: once a pod that waited for a node runs, its log is printed") {
  const Json waits = container("main", "waiting");
  Json unschedulable = pod("0", {}, {}, "Pending");
  unschedulable["spec"].erase("nodeName");
  unschedulable["status"]["conditions"] = {
      {{"type", "PodScheduled"},
       {"status", "False"},
       {"reason", "Unschedulable"},
       {"message", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."}}};
  selection.jobs = {job(Json::object())};
  job_becomes({});
  transport.answer("GET", kPods, list({unschedulable}));
  Json running = pod("0", {container("main", "running")});
  running["metadata"]["resourceVersion"] = "99";
  transport.stub("GET", kPods, events({{"MODIFIED", running}}));
  log("bert-0", "container=main&follow=true&", kLine, true);
  CHECK(!run_for(1s));
  CHECK(sink.said.ends_with("0.0 line\n"));
}

TEST_CASE_FIXTURE(Fixture,
                  "log_follower: a pod that is deleted and created again is a new attempt with a new log") {
  job_becomes({});
  transport.answer("GET", kPods, list({pod("0", {container("main", "running")})}));
  Json again = pod("0", {container("main", "running")});
  again["metadata"]["uid"] = "another";
  again["metadata"]["resourceVersion"] = "99";
  transport.stub("GET", kPods,
                 events({{"DELETED", pod("0", {container("main", "running")})}, {"ADDED", again}}));
  log("bert-0", "container=main&follow=true&", kLine);
  log("bert-0", "container=main&follow=true&", "2026-01-01T00:00:20Z again\n", true);
  CHECK(!run_for(1s));
  CHECK(sink.said == "0.0 line\n[end]0.0 again\n");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_follower: a deleted job is reported as cancelled once its pods' lines are printed") {
  transport.answer("GET", kJobs, list({selection.jobs[0]}));
  transport.stub("GET", kJobs, events({{"DELETED", job(Json::object())}}));
  transport.answer("GET", kPods, list({pod("0", {container("main", "terminated")})}));
  transport.stub("GET", kPods, events({}));
  transport.answer("GET", kPods, list({}));
  log("bert-0", "container=main&", kLine);
  CHECK(run_for(10s));
  CHECK(sink.said == "0.0 line\n[end 0][job Cancelled]");
}

TEST_CASE_FIXTURE(Fixture,
                  "log_follower: a job that was deleted before it was watched is reported as cancelled") {
  std::vector<Json> there;
  SUBCASE("no job has its name") {}
  SUBCASE("another job has its name") {
    there = {job({{"active", 2}})};
    there[0]["metadata"]["uid"] = "another";
  }
  transport.answer("GET", kJobs, list(there));
  transport.stub("GET", kJobs, events({}));
  transport.answer("GET", kPods, list({}));
  transport.stub("GET", kPods, events({}));
  transport.answer("GET", kPods, list({}));
  CHECK(run_for(10s));
  CHECK(sink.said == "[job Cancelled]");
}

TEST_CASE_FIXTURE(Fixture, "log_follower: the end of a job without pods is reported") {
  selection.jobs = {job(kDone)};
  transport.answer("GET", kJobs, list(selection.jobs));
  transport.stub("GET", kJobs, events({}));
  transport.answer("GET", kPods, list({}));
  transport.stub("GET", kPods, events({}));
  transport.answer("GET", kPods, list({}));
  CHECK(run_for(10s));
  CHECK(sink.said == "[job Succeeded]");
}

TEST_CASE_FIXTURE(Fixture, "log_follower: a failed pod is reported, unless its job was suspended") {
  job_becomes({});
  Json failed = pod("0", {container("main", "waiting")}, {}, "Failed");
  SUBCASE("the pod had a node") {}
  SUBCASE("the pod had no node") {
    failed["spec"].erase("nodeName");
    failed["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:10Z";
  }
  transport.answer("GET", kPods, list({failed}));
  transport.stub("GET", kPods, events({}));
  CHECK(!run_for(1s));
  CHECK((sink.said.find("[failed bert-0]") != std::string::npos) == failed["spec"].contains("nodeName"));
}

TEST_CASE_FIXTURE(Fixture,
                  "log_follower: if a Python program prints nothing for long, a possible reason is printed") {
  std::string line;
  Json running = pod("0", {container("main", "running")});
  Json& program = running["spec"]["containers"][0];
  program["command"] = {"python", "train.py"};
  std::string want = "[silent]";
  SUBCASE("Python") {}
  SUBCASE("Python in a shell") {
    program["command"] = {"sh", "-c", "cd /code && torchrun train"};
  }
  SUBCASE("the image's own command") {
    program.erase("command");
  }
  SUBCASE("the variable is unset again") {
    program["env"] = {{{"name", "PYTHONUNBUFFERED"}, {"value", ""}}};
  }
  SUBCASE("no advice once the program has printed a line") {
    line = kLine;
    want = "0.0 line\n";
  }
  SUBCASE("no advice if the program does not buffer its output") {
    SUBCASE("set by the environment") {
      program["env"] = {{{"name", "PYTHONUNBUFFERED"}, {"value", "1"}}};
    }
    SUBCASE("set by Python's own flag") {
      program["command"] = {"python", "-u", "train.py"};
    }
    SUBCASE("another program") {
      program["command"] = {"sleep", "1000"};
    }
    want = "";
  }
  SUBCASE("no advice if earlier lines were not requested") {
    selection.tail = 0;
    want = "";
  }
  job_becomes({});
  transport.answer("GET", kPods, list({running}));
  transport.stub("GET", kPods, events({}));
  const FakeTransport::Stub followed{.pieces = {line}, .stays_open = true};
  transport.stub("GET", kPods + "/bert-0/log", followed);
  // the follower checks whether there is more
  if (!line.empty()) transport.stub("GET", kPods + "/bert-0/log", {});
  CHECK(!run_for(29s));
  CHECK(sink.said == (line.empty() ? "" : want));
  CHECK(!run_for(60s));
  CHECK(sink.said == want);
}

}  // namespace log_follower_test
