#include "kml/pod/streams/running_rank.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"
#include "support/owner.h"

namespace running_rank_test {

using namespace kml;
using namespace kml::job;
using namespace kml::pod;

namespace {

Json pod(const std::string& index, const std::string& phase, const std::string& created = "09:00:00") {
  const bool runs = phase == "Running";
  return {{"metadata",
           {{"name", "bert-" + index + "-" + created.substr(0, 2)},
            {"namespace", "team"},
            {"uid", index + created},
            {"creationTimestamp", "2026-11-21T" + created + "Z"},
            {"labels",
             {{"batch.kubernetes.io/job-completion-index", index}, {"batch.kubernetes.io/job-name", "bert"}}},
            {"ownerReferences", controlled_by("bert", "u")}}},
          {"spec", {{"containers", Json::array({{{"name", "main"}}, {{"name", "side"}, {"stdin", true}}})}}},
          {"status",
           {{"phase", phase},
            {"containerStatuses",
             Json::array(
                 {{{"name", "main"}, {"state", runs ? Json{{"running", Json::object()}} : Json::object()}},
                  {{"name", "side"}, {"state", Json::object()}}})}}}};
}

struct Fixture {
  FakeTransport transport;
  kube::Client client{transport};
  JobOrTask job{{{"apiVersion", "batch/v1"},
                 {"kind", "Job"},
                 {"metadata", {{"name", "bert"}, {"namespace", "team"}, {"uid", "u"}}},
                 {"spec", {{"completions", 2}, {"parallelism", 2}, {"completionMode", "Indexed"}}},
                 {"status", Json::object()}}};

  void serve(const std::vector<Json>& pods) {
    transport.answer("GET", "/api/v1/namespaces/team/pods", {{"kind", "PodList"}, {"items", pods}});
  }
  Error failure(const std::string& rank, const std::string& container = {}) {
    try {
      running_ranks(client, job, rank, container);
    } catch (const Error& error) {
      return error;
    }
    FAIL("it found one");
    return {ErrorCode::failure, ""};
  }
};

}  // namespace

TEST_CASE("running rank: a name may be followed by a rank; a kind is not a rank") {
  CHECK(split_rank("bert").rank.empty());
  CHECK(split_rank("bert/3").name == "bert");
  CHECK(split_rank("bert/3").rank == "3");
  CHECK(split_rank("@/0").name == "@");
  CHECK(split_rank("pytorchjob/bert").name == "pytorchjob/bert");
  CHECK(split_rank("job.batch/7").name == "job.batch/7");
  CHECK(split_rank("pytorchjob/bert/worker-1").name == "pytorchjob/bert");
  CHECK(split_rank("pytorchjob/bert/worker-1").rank == "worker-1");
}

TEST_CASE("running rank: kml requests the most probable objects in advance") {
  const std::string job = "/apis/batch/v1/namespaces/team/jobs/bert",
                    training = "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs/bert",
                    pods = "/api/v1/namespaces/team/pods?labelSelector=";
  const std::string of_job = pods + "job-name%3Dbert&limit=500",
                    of_training = pods + "training.kubeflow.org%2Fjob-name%3Dbert&limit=500";
  const auto asks = [](const std::string& name, const std::vector<std::string>& paths) {
    FakeTransport transport;
    kube::Client client{transport};
    for (const std::string& path : paths) transport.answer("GET", path, Json::object());
    (void)ask_ahead_for_ranks(client, "team", name);
    CHECK(transport.requests.size() == paths.size());
  };
  asks("bert", {job, training, of_job});
  asks("job/bert", {job, of_job});
  asks("pytorchjob/bert", {training, of_training});
  asks("pvc/bert", {});
}

TEST_CASE_FIXTURE(Fixture, "running rank: lists all running ranks in order, each in its newest pod") {
  serve({pod("10", "Running"), pod("1", "Failed", "08:00:00"), pod("1", "Running"), pod("0", "Pending")});
  const auto ranks = running_ranks(client, job, "", "");
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].name() == "bert/1");
  CHECK(ranks[0].pod == "bert-1-09");
  CHECK(ranks[0].container == "main");
  CHECK(ranks[1].name() == "bert/10");
}

TEST_CASE_FIXTURE(Fixture, "running rank: is found by number, or by the pod's name") {
  for (const char* rank : {"1", "bert-1-09"}) {
    serve({pod("0", "Running"), pod("1", "Running")});
    CHECK(running_ranks(client, job, rank, "").at(0).name() == "bert/1");
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "running rank: a rank that is not running is reported with its state and the next step") {
  SUBCASE("the rank waits") {
    serve({pod("0", "Running"), pod("1", "Pending")});
    const Error error = failure("1");
    CHECK(error.message == "bert/1 is not running: its pod is pending");
    CHECK(error.fix == "kml why bert");
  }
  SUBCASE("the rank has ended") {
    serve({pod("0", "Running"), pod("1", "Succeeded")});
    CHECK(failure("1").fix == "kml logs bert");
  }
  SUBCASE("the job waits") {
    serve({});
    const Error error = failure("");
    CHECK(error.message == "job bert is not running: it is waiting");
    CHECK(error.reason == "NotRunning");
  }
  SUBCASE("the container is not running") {
    serve({pod("0", "Running")});
    CHECK(failure("0", "side").message == "container side of bert/0 is not running");
  }
  SUBCASE("no such container") {
    serve({pod("0", "Running")});
    CHECK(failure("0", "sode").fix.starts_with("did you mean \"side\"? its containers: "));
  }
  SUBCASE("no such rank") {
    serve({pod("0", "Running"), pod("1", "Running")});
    const Error error = failure("2");
    CHECK(error.message == "job bert has no rank 2");
    CHECK(error.why == "its pods: 0, 1");
  }
}

}  // namespace running_rank_test
