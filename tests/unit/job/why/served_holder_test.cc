#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "job/why/room.h"
#include "kml/kube/objects/labels.h"

namespace served_holder_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kFull = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";

Json running(const std::string& name, int gpus) {
  return on_node(make_pod(make_job(name, gpus)), "a");
}

/// A replica on node "a"; its ReplicaSet has the name `set`.
Json replica(const std::string& program, int gpus, const std::string& set, const std::string& number = "x") {
  Json pod = running(set, gpus);
  pod["metadata"]["name"] = set + "-" + number;
  pod["metadata"]["uid"] = pod["metadata"]["name"];
  pod["metadata"]["labels"] = {{std::string(api::kServe), program}};
  pod["metadata"]["ownerReferences"] = controlled_by(set, "set-uid", "apps/v1", "ReplicaSet");
  return pod;
}

Json waiting_pod(const std::string& name, int gpus, int second) {
  Json pod = unschedulable(make_pod(make_job(name, gpus)), kFull);
  pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:1" + std::to_string(second) + "Z";
  return pod;
}

/// The cause of job "own", which waits for GPUs of node "a".
job::Cause cause_among(int own_gpus, std::vector<Json> others, int gpus_of_node) {
  Known known(make_job("own", own_gpus), {waiting_pod("own", own_gpus, 5)});
  known.facts.nodes = std::vector<Json>{node("a", gpus_of_node)};
  others.push_back(known.pods[0]);
  known.facts.active_pods = std::move(others);
  known.facts.priorities = std::vector<Json>{};
  return known.cause();
}

}  // namespace

TEST_CASE("served holder: the cause names the served program, and the command stops what must end") {
  struct Row {
    const char* what;
    int own_gpus, gpus_of_node;
    std::vector<Json> others;
    std::string holder, remedy, command;  ///< the largest holder, part of the remedy, and its command
  };
  const std::vector<Row> rows = {
      {"a program",
       1,
       1,
       {replica("iris", 1, "iris-7f")},
       "served program iris",
       "by stopping served program iris: 1 GPU",
       "kml serve stop iris"},
      {"all replicas stop",
       2,
       2,
       {replica("iris", 1, "iris-7f"), replica("iris", 1, "iris-7f", "y")},
       "served program iris",
       "served program iris: 2 GPUs",
       "kml serve stop iris"},
      {"a program and a job",
       3,
       3,
       {replica("iris", 1, "iris-7f"), running("bert", 2)},
       "bert",
       "by ending",
       "kml cancel bert && kml serve stop iris"},
      {"a job that holds less is enough",
       1,
       3,
       {replica("iris", 2, "iris-7f"), running("bert", 1)},
       "served program iris",
       "by cancelling bert",
       "kml cancel bert"},
      {"a label that proves nothing", 1, 1, {replica("iris", 1, "web-7f")}, "pod web-7f-x", "wait", ""},
      {"another job would take the GPU",
       1,
       1,
       {replica("iris", 1, "iris-7f"), waiting_pod("first", 1, 1)},
       "served program iris",
       "wait",
       ""},
      {"a replica that waits stops, too",
       1,
       1,
       {replica("iris", 1, "iris-7f"),
        [] {
          Json pod = replica("iris", 1, "iris-7f", "y");
          pod["spec"].erase("nodeName");
          pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:01Z";
          return unschedulable(on_node(pod, "", "Pending"), kFull);
        }()},
       "served program iris",
       "by stopping served program iris",
       "kml serve stop iris"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const job::Cause cause = cause_among(row.own_gpus, row.others, row.gpus_of_node);
    CHECK(cause.code == CauseCode::resources_held);
    REQUIRE_FALSE(cause.holders.empty());
    CHECK(job::in_words(cause.holders[0]) == row.holder);
    REQUIRE_FALSE(cause.remedies.empty());
    CHECK(cause.remedies[0].what.find(row.remedy) != std::string::npos);
    CHECK(cause.remedies[0].command == row.command);
  }
}

TEST_CASE("served holder: a kind that cannot be cancelled is deleted instead") {
  const auto command = [](const std::string& kind, bool is_served) {
    return job::command_to_free(
        {{.kind = kind, .namespace_name = "lab", .name = "a", .is_served = is_served}}, "lab");
  };
  CHECK(command("Job", false) == "kml cancel a");
  CHECK(command("RayJob", false) == "kml cancel a");
  CHECK(command("RayCluster", false) == "kml delete a");
  CHECK(command("InferenceService", false) == "kml delete a");
  CHECK(command("InferenceService", true) == "kml serve stop a");
  CHECK(command("Pod", false).empty());
}

}  // namespace served_holder_test
