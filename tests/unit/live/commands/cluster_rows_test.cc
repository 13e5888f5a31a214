#include "live/commands/cluster_rows.h"

#include <doctest/doctest.h>

#include <sstream>

#include "kml/base/text.h"
#include "support/owner.h"

namespace cluster_rows_test {

using namespace kml;
using namespace kml::cli;

namespace {

Json job(const std::string& name) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"uid", "u"},
            {"creationTimestamp", "2026-01-01T00:00:00Z"},
            {"labels", {{"kml.dev/submit-id", "0123456789abcdef"}, {"kml.dev/sweep", "lr1"}}}}},
          {"spec", {{"parallelism", 1}, {"template", {{"spec", {{"containers", Json::array()}}}}}}}};
}

Json pod(const std::string& of_job, const std::string& phase, const std::string& node) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", of_job + "-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by(of_job, "u")}}},
          {"spec",
           {{"nodeName", node},
            {"containers", Json::array({{{"resources",
                                          {{"limits", {{"nvidia.com/gpu", "4"}}},
                                           {"requests", {{"nvidia.com/gpu", "4"}}}}}}})}}},
          {"status", {{"phase", phase}}}};
}

Json node(const std::string& name) {
  return {{"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"status",
           {{"allocatable", {{"nvidia.com/gpu", "8"}, {"cpu", "1500m"}, {"memory", "2Gi"}}},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

struct Fixture {
  Fixture() { state.queue = job::JobQueue(job::QueueForm::packed); }

  /// The lines since the last call.
  std::vector<Json> update() {
    out.str("");
    rows.update(state);
    rows.nodes_changed();
    rows.update_nodes(state);
    std::vector<Json> lines;
    for (const std::string& line : split(out.str(), '\n'))
      if (!line.empty()) lines.push_back(Json::parse(line));
    return lines;
  }

  std::ostringstream out;
  RowWriter writer{out, "prod"};
  ClusterRows rows{writer};
  job::QueueState state;
};

}  // namespace

TEST_CASE("live rows: a job has a row, which changes with the job and is dropped with it") {
  Fixture feed;
  feed.state.queue.put(job("bert"));
  feed.state.queue.put(pod("bert", "Pending", ""));
  std::vector<Json> lines = feed.update();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["change"] == "set");
  CHECK(lines[0]["table"] == "jobs");
  CHECK(lines[0]["cluster"] == "prod");
  CHECK(lines[0]["id"] == "lab/Job/bert");
  Json row = lines[0]["row"];
  CHECK(row["state"] == "Waiting");
  CHECK(row["active"] == true);
  CHECK(row["group"] == "");
  CHECK(row["sweep"] == "lr1");
  CHECK(row["podCounts"] == "0/1");
  CHECK_FALSE(row.contains("gpus"));
  CHECK_FALSE(row.contains("finished"));

  CHECK(feed.update().empty());
  feed.state.queue.put(job("bert"));
  CHECK(feed.update().empty());

  feed.state.queue.put(pod("bert", "Running", "gpu-1"));
  lines = feed.update();
  REQUIRE(lines.size() == 1);
  row = lines[0]["row"];
  CHECK(row["state"] == "Running");
  CHECK(row["podCounts"] == "1/1");
  CHECK(row["nodes"] == Json{"gpu-1"});
  CHECK_FALSE(row.contains("group"));
  CHECK(feed.rows.outcomes().of("0123456789abcdef")->at("Job/bert").state == job::State::running);

  Json ended = job("bert");
  ended["status"] = {{"completionTime", "2026-01-01T00:01:00Z"},
                     {"succeeded", 1},
                     {"conditions", Json::array({{{"type", "Complete"}, {"status", "True"}}})}};
  feed.state.queue.put(ended);
  lines = feed.update();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["row"]["state"] == "Succeeded");
  CHECK(lines[0]["row"]["podCounts"] == "1/1");  // as in `kml list`
  CHECK_FALSE(lines[0]["row"].contains("active"));
  CHECK(lines[0]["order"].get<std::string>().starts_with("9 "));
  feed.state.queue.remove(pod("bert", "", ""));
  feed.state.queue.remove(ended);
  lines = feed.update();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["change"] == "drop");
}

TEST_CASE("live rows: between two attempts, the cause does not say when the next one starts") {
  Fixture feed;
  Json waiting = job("bert");
  waiting["spec"]["backoffLimit"] = 3;
  waiting["status"]["startTime"] = "2026-01-01T00:00:00Z";
  Json failed = pod("bert", "Failed", "gpu-1");
  const Json terminated = {{"exitCode", 1}, {"finishedAt", "2026-01-01T00:00:05Z"}};
  failed["status"]["containerStatuses"] = {{{"name", "main"}, {"state", {{"terminated", terminated}}}}};
  feed.state.queue.put(waiting);
  feed.state.queue.put(failed);
  const std::vector<Json> lines = feed.update();
  REQUIRE(lines.size() == 1);
  const Json& row = lines[0]["row"];
  CHECK(row["state"] == "Waiting");
  CHECK(row["cause"] == "exit code 1");
  CHECK(row["lastFailure"] == "exit code 1");
  CHECK(row.contains("nextAttempt"));
  CHECK(feed.rows.outcomes().of("0123456789abcdef")->at("Job/bert").cause == "exit code 1");
}

TEST_CASE("live rows: a node's row shows its GPUs and who holds them") {
  Fixture feed;
  feed.state.nodes = {node("gpu-1"), node("gpu-2")};
  std::vector<Json> lines = feed.update();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["table"] == "nodes");
  CHECK(lines[0]["row"]["state"] == "ready");
  CHECK(lines[0]["row"]["cpus"] == 1.5);
  CHECK(lines[0]["row"]["memory"] == 2LL << 30);
  CHECK(lines[0]["row"]["gpus"][0]["free"] == 8);

  feed.state.queue.put(job("bert"));
  feed.state.queue.put(pod("bert", "Running", "gpu-1"));
  lines = feed.update();
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]["id"] == "gpu-1");
  CHECK(lines[1]["row"]["gpus"][0]["used"] == 4);
  CHECK(lines[1]["row"]["gpus"][0]["heldBy"] == Json{{"bert", 4}});

  feed.state.nodes.pop_back();
  feed.state.queue.put(pod("bert", "Succeeded", "gpu-1"));
  lines = feed.update();
  REQUIRE(lines.size() == 3);
  CHECK(lines[1]["row"]["gpus"][0]["used"] == 0);
  CHECK(line_of(live::change_of_line(lines[2].dump())) ==
        R"({"change":"drop","cluster":"prod","id":"gpu-2","table":"nodes"})");
}

TEST_CASE("live rows: the states of old submits are dropped, except those that are still shown") {
  LiveOutcomes outcomes;
  outcomes.want({"wanted"});
  outcomes.see("wanted", "Job/a", {job::State::running, "", {}});
  for (int i = 0; i < 2000; ++i)
    outcomes.see("s" + std::to_string(i), "Job/a", {job::State::succeeded, "", {}});
  CHECK(outcomes.of("wanted"));
  CHECK_FALSE(outcomes.of("s0"));
  CHECK(outcomes.of("s1999"));
  CHECK(outcomes.take_changed().contains("wanted"));
  CHECK(outcomes.take_changed().empty());
}

}  // namespace cluster_rows_test
