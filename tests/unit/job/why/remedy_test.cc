#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"
#include "job/why/room.h"
#include "kml/base/text.h"

namespace remedy_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kFull = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";

Json running(const std::string& name, int gpus) {
  Json object = on_node(make_pod(make_job(name, gpus)), "a");
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  object["spec"]["priority"] = 0;
  return object;
}

}  // namespace

TEST_CASE("why: a remedy names what a job holds of each resource that is missing") {
  Json big = make_job("big", 1);
  const auto with_cpus = [](Json pod, const char* cpus) {
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpus;
    return pod;
  };
  Known known(big, {with_cpus(unschedulable(make_pod(big), kFull), "14")});
  known.facts.nodes = std::vector<Json>{node("a", 1)};
  known.facts.active_pods =
      std::vector<Json>{known.pods[0], with_cpus(running("both", 1), "12"), running("other", 0)};
  const job::Cause cause = known.cause();
  CHECK(cause.brief == "needs 1 GPU and 10 CPUs more");
  CHECK(contains(cause.remedies.at(0).what, "both (priority 0): 1 GPU and 12 CPUs"));
  CHECK(cause.remedies.at(0).command == "kml cancel both");
}

TEST_CASE("why: the text says which holder is already being stopped") {
  Json leaves = running("leaves", 1);
  leaves["metadata"]["deletionTimestamp"] = "2026-01-01T01:59:59Z";
  const Json own = make_job("own", 2);
  Known known(own, {unschedulable(make_pod(own), kFull)});
  known.facts.nodes = std::vector<Json>{node("a", 2)};
  known.facts.active_pods = std::vector<Json>{known.pods[0], leaves, running("stays", 1)};
  const job::Cause cause = known.cause();
  REQUIRE(cause.holders.size() == 2);
  for (const job::Holder& holder : cause.holders) CHECK(holder.is_stopping == (holder.name == "leaves"));
  CHECK(job::holders_text(cause.holders, "nvidia.com/gpu") ==
        "leaves (priority 0, stopping): 1 GPU, stays (priority 0): 1 GPU");
  CHECK(cause.remedies.at(0).command == "kml cancel stays");
}

TEST_CASE("why: an array starts with its first task, so the remedy frees no more than that task needs") {
  Json array = make_job("array", 3);
  array["spec"].update({{"completionMode", "Indexed"}, {"backoffLimitPerIndex", 0}, {"parallelism", 4}});
  const auto remedy = [&](const std::vector<Json>& others, int tasks) {
    std::vector<Json> own;
    for (int i = 0; i < tasks; ++i)
      own.push_back(unschedulable(make_pod(array, std::to_string(i) + "-abcde"), kFull));
    Known known(array, own);
    known.facts.nodes = std::vector<Json>{node("a", 8)};
    known.facts.active_pods = own;
    for (const Json& pod : others) known.facts.active_pods->push_back(pod);
    const job::Cause cause = known.cause();
    CHECK(cause.pods == tasks);
    return cause.brief + ": " + cause.remedies.at(0).command;
  };
  struct Row {
    std::vector<Json> others;
    int tasks;
    std::string remedy;
  };
  const Json four = running("four", 4), other = running("other", 4), two = running("two", 2),
             six = running("six", 6);
  for (const Row& row : {Row{{four, other}, 1, "needs 3 GPUs more: kml cancel four"},
                         Row{{four, other}, 4, "needs 3 GPUs more: kml cancel four"},
                         Row{{two, six}, 2, "needs 3 GPUs more: kml cancel six"},
                         Row{{two, running("b", 2), running("c", 2), running("d", 2)},
                             2,
                             "needs 3 GPUs more: kml cancel two b"}}) {
    CAPTURE(row.remedy);
    CHECK(remedy(row.others, row.tasks) == row.remedy);
  }
}

}  // namespace remedy_test
