#include "job/attempts/merge.h"

#include <doctest/doctest.h>

namespace merge_test {

using namespace kml;
using namespace kml::job;

namespace {

Time at(int second) {
  return Time(std::chrono::seconds(1'800'000'000 + second));
}

Attempt of_api(const std::string& pod, int start, std::optional<int> end, const std::string& result) {
  Attempt attempt;
  attempt.pod = pod;
  attempt.start = at(start);
  if (end) attempt.end = at(*end);
  attempt.result = result;
  return attempt;
}

Attempt told(long long number, const std::string& pod, int start) {
  Attempt attempt;
  attempt.number = number;
  attempt.pod = pod;
  attempt.node = "n1";
  attempt.start = at(start);
  attempt.first_step = number * 100;
  return attempt;
}

Disruption preemption(const std::string& pod, int time, const std::string& by) {
  return {pod, "", "n1", {}, at(time), std::string(kPreempted), by};
}

}  // namespace

TEST_CASE("attempts: the attempts that a program prints are added to the pod that still exists") {
  std::vector<Attempt> attempts = {of_api("bert-b", 100, {}, "Running")};
  add_told(attempts, {told(1, "bert-a", 10), told(2, "bert-b", 102)});
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].result == "Running");
  CHECK(attempts[0].first_step == 200);
  CHECK(attempts[0].node == "n1");
  CHECK(attempts[1].pod == "bert-a");
}

TEST_CASE("attempts: pods that share a name differ by time") {
  std::vector<Attempt> attempts = {of_api("bert-master-0", 0, 50, "Preempted"),
                                   of_api("bert-master-0", 100, {}, "Running")};
  SUBCASE("the program's output tells the pods apart") {
    add_told(attempts, {told(1, "bert-master-0", 1), told(2, "bert-master-0", 101)});
    CHECK(attempts.size() == 2);
    CHECK(attempts[0].number == 1);
    CHECK(attempts[1].number == 2);
  }
  SUBCASE("the time of the preemption tells the pods apart") {
    add_disruptions(attempts, {preemption("bert-master-0", 49, "gpt")});
    CHECK(attempts.size() == 2);
    CHECK(attempts[0].preempted_by == "gpt");
    CHECK(attempts[1].result == "Running");
  }
}

TEST_CASE("attempts: of a restarted container's runs, the last one belongs to the pod's own attempt") {
  std::vector<Attempt> attempts = {of_api("bert-a", 0, {}, "Running")};
  add_told(attempts, {told(1, "bert-a", 1), told(2, "bert-a", 30)});
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].number == 2);
  CHECK(attempts[1].number == 1);
}

TEST_CASE(
    "attempts: a preemptor's name is kept once it is known; until then, the preemptor is an unknown job") {
  Attempt attempt = of_api("bert-a", 0, 50, "exit code 143 (signal 15)");
  add_disruption(attempt, preemption("bert-a", 49, ""));
  CHECK(attempt.result == "preempted by an unknown job");
  add_disruption(attempt, preemption("bert-a", 49, "gpt"));
  add_disruption(attempt, preemption("bert-a", 49, ""));
  CHECK(attempt.result == "preempted by gpt");
  CHECK(attempt.preempted);
}

TEST_CASE("attempts: short attempts of pods that share a name are matched by the nearest start") {
  std::vector<Attempt> attempts = {of_api("bert-master-0", 0, 3, "Preempted"),
                                   of_api("bert-master-0", 3, {}, "Running")};
  add_told(attempts, {told(1, "bert-master-0", 1), told(2, "bert-master-0", 4)});
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].number == 1);
  CHECK(attempts[1].number == 2);
}

TEST_CASE("attempts: a pod is an attempt even if only its disruption is known") {
  std::vector<Attempt> attempts;
  add_disruptions(attempts, {preemption("bert-a", 49, "gpt")});
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].pod == "bert-a");
  CHECK_FALSE(attempts[0].start);
  CHECK(attempts[0].end == at(49));
  Disruption drain = preemption("bert-b", 60, "");
  drain.reason = "EvictionByEvictionAPI";
  add_disruptions(attempts, {drain});
  CHECK(attempts[1].result ==
        "stopped by the cluster: the pod was evicted, for example by a drain of the node");
  CHECK_FALSE(attempts[1].preempted);
}

TEST_CASE("attempts: an attempt whose program printed no end has ended when its pod was disrupted") {
  std::vector<Attempt> attempts = {told(1, "bert-a", 12), of_api("bert-b", 60, {}, "Running")};
  attempts[1].uid = "b";
  add_disruptions(attempts, {preemption("bert-a", 49, "gpt"), preemption("bert-b", 70, "gpt")});
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].start == at(12));
  CHECK(attempts[0].end == at(49));
  CHECK_FALSE(attempts[1].end);  // the pod may take its time to stop
}

TEST_CASE("attempts: Kueue evicts all pods of a job, so an eviction by Kueue names no pod") {
  Disruption eviction = preemption("", 50, "gpt");
  eviction.start = at(10);
  SUBCASE("the pods are gone") {
    std::vector<Attempt> attempts = {of_api("bert-b", 60, {}, "Running")};  // the next run
    add_disruptions(attempts, {eviction});
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].result == "Running");
    CHECK(attempts[1].pod.empty());
    CHECK(attempts[1].start == at(10));
    CHECK(attempts[1].end == at(50));
  }
  SUBCASE("a program has printed its start") {
    std::vector<Attempt> attempts = {told(1, "bert-a", 12)};
    add_disruptions(attempts, {eviction});
    REQUIRE(attempts.size() == 1);
    CHECK(attempts[0].preempted_by == "gpt");
    CHECK(attempts[0].end == at(50));
  }
  SUBCASE("an earlier run has ended") {
    std::vector<Attempt> attempts = {of_api("bert-a", 0, 8, "exit code 1")};
    add_disruptions(attempts, {eviction});
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].result == "exit code 1");
  }
}

TEST_CASE("attempts: an attempt that printed no end has ended if another attempt followed") {
  std::vector<Attempt> attempts = {told(1, "bert-a", 0), told(2, "bert-b", 50)};
  say_what_is_unknown(attempts);
  CHECK(attempts[0].result == "unknown: the program exited without a message");
  CHECK(attempts[1].result == "Running");
}

}  // namespace merge_test
