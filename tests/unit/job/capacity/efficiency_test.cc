#include "job/capacity/efficiency.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"

namespace efficiency_test {

using namespace kml;
using namespace kml::job;

namespace {

Time at(const char* minute_second) {
  return *parse_rfc3339("2026-01-01T00:" + std::string(minute_second) + "Z");
}

Json job() {
  return Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "bert", "namespace": "lab", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"activeDeadlineSeconds": 36000, "template": {"spec": {"containers": [{"name": "main", "resources":
      {"requests": {"cpu": "8", "memory": "16Gi"}, "limits": {"memory": "16Gi"}}}]}}},
    "status": {"conditions": [{"type": "Complete", "status": "True"}]}})");
}

/// A pod that ran from 00:01:00 to 00:11:00.
Json ended_pod(const std::string& name, const std::string& usage) {
  Json pod = Json::parse(R"({"metadata": {"namespace": "lab"}, "status": {"phase": "Succeeded",
    "startTime": "2026-01-01T00:01:00Z", "containerStatuses": [{"name": "main", "state": {"terminated":
      {"exitCode": 0, "finishedAt": "2026-01-01T00:11:00Z"}}}]}})");
  pod["metadata"]["name"] = name;
  if (!usage.empty()) pod["metadata"]["annotations"]["kml.dev/usage"] = usage;
  return pod;
}

PodUsage used_now() {
  PodUsage usage;
  usage.cpus = 3;
  usage.memory = 5;
  return usage;
}

Json running_pod() {
  Json pod = ended_pod("bert-r", "");
  pod["status"] = {{"phase", "Running"}, {"startTime", "2026-01-01T00:01:00Z"}};
  return pod;
}

}  // namespace

TEST_CASE("efficiency: for a finished job, the records of its pods are used") {
  const Json whole = job();
  const Json pod = ended_pod("bert-0", R"({"main": {"cpuSeconds": 600, "peakProcessBytes": 2147483648,
    "peakBytesWithFileCache": 3221225472}})");
  const Efficiency found = efficiency_of(whole, std::vector<const Json*>{&pod}, {}, {}, at("59:00"));
  CHECK(found.waited == std::chrono::minutes(1));
  CHECK(found.ran == std::chrono::minutes(10));
  CHECK(found.time_limit == std::chrono::hours(10));
  CHECK(found.cpus_asked == 8.0);
  CHECK(found.cpus_mean == 1.0);
  CHECK(found.memory_asked == int64_t{16} << 30);
  CHECK(found.memory_peak == int64_t{2} << 30);
  CHECK(found.memory_with_files == int64_t{3} << 30);
  CHECK(found.unseen.empty());
  CHECK(join(found.advice, "; ") ==
        "--cpu 1.5 is enough; --memory 3Gi is enough; --time-limit 13m is enough");
}

TEST_CASE("efficiency: the mean is over all pods, the maximum is that of one pod") {
  const Json whole = job();
  const Json a = ended_pod("bert-0", R"({"main": {"cpuSeconds": 4800, "peakProcessBytes": 100}})");
  const Json b = ended_pod("bert-1", R"({"main": {"cpuSeconds": 0, "peakProcessBytes": 17000000000}})");
  const Efficiency found = efficiency_of(whole, std::vector<const Json*>{&a, &b}, {}, {}, at("59:00"));
  CHECK(found.pod_time == std::chrono::minutes(20));
  CHECK(found.cpus_mean == 4.0);
  CHECK(found.cpus_most == 8.0);
  CHECK(found.memory_peak == 17000000000);
  CHECK(join(found.advice, "; ").starts_with("--memory 20Gi: the job came close to its limit"));
}

TEST_CASE("efficiency: for a running job, the embedded server's metrics up to now are used") {
  Json whole = job();
  whole["status"] = Json::object();
  const Json pod = running_pod();
  PodUsage usage = used_now();
  usage.so_far = api::ContainerUsage{300, 1 << 20, 0};
  const Efficiency found =
      efficiency_of(whole, std::vector<const Json*>{&pod}, {{"lab/bert-r", usage}}, {}, at("06:00"));
  CHECK(found.cpus_mean == 1.0);
  CHECK(found.memory_peak == 1 << 20);
  CHECK(found.unseen.empty());
}

TEST_CASE("efficiency: values that a cluster does not report are named, and not invented") {
  Json whole = job();
  whole["status"] = Json::object();
  const Json pod = running_pod(), gone = ended_pod("bert-0", "");
  SUBCASE("metrics of running pods") {
    const Efficiency found =
        efficiency_of(whole, std::vector<const Json*>{&pod}, {{"lab/bert-r", used_now()}}, {}, at("06:00"));
    CHECK(found.cpus_now == 3.0);
    CHECK_FALSE(found.cpus_mean);
    CHECK(contains(found.unseen.at(0), "mean and peak"));
    CHECK(found.advice.empty());
  }
  SUBCASE("no metrics, and pods that have ended") {
    const Efficiency found = efficiency_of(whole, std::vector<const Json*>{&pod, &gone}, {}, {}, at("06:00"));
    CHECK_FALSE(found.cpus_now);
    REQUIRE(found.unseen.size() == 2);
    CHECK(contains(found.unseen[0], "the cluster has no metrics, or you may not read"));
    CHECK(contains(found.unseen[1], "usage of 1 finished pod"));
  }
  SUBCASE("pods that are gone") {
    whole = job();
    const Efficiency found = efficiency_of(whole, {}, {}, {}, at("06:00"));
    CHECK(contains(found.unseen.at(0), "pods are deleted"));
  }
}

TEST_CASE(
    "efficiency: a task's run time leaves out the waits between its attempts, and counts no time twice") {
  const Json pod = ended_pod("arr-1-x", "");  // ran for 10 minutes from 01:00
  RunTimes times{at("01:00"), at("40:00"), {}, true};
  struct Row {
    const char* what;
    std::vector<std::pair<Time, Time>> attempts;
    int ran;  ///< minutes
  };
  for (const Row& row : std::vector<Row>{
           {"only the pod is known", {}, 10},
           {"the attempt of the pod", {{at("01:00"), at("11:00")}}, 10},
           {"and a later attempt", {{at("01:00"), at("11:00")}, {at("38:00"), at("40:00")}}, 12}}) {
    CAPTURE(std::string(row.what));
    times.of_attempts = row.attempts;
    const Json whole = job();
    const Json* own = &pod;
    times.are_of_task = true;
    CHECK(efficiency_of(whole, {&own, 1}, {}, times, at("59:00")).ran == std::chrono::minutes(row.ran));
    times.are_of_task = false;
    CHECK(efficiency_of(whole, {&own, 1}, {}, times, at("59:00")).ran == std::chrono::minutes(39));
  }
}

TEST_CASE(
    "efficiency: the wait ends when the job first starts, ends or is suspended, and the run time is known "
    "even without the job's pods") {
  const Json ended = {{{"type", "Complete"},
                       {"status", "True"},
                       {"lastTransitionTime", "2026-01-01T00:09:00Z"}}},
             failed = {
                 {{"type", "Failed"}, {"status", "True"}, {"lastTransitionTime", "2026-01-01T00:09:00Z"}}};
  const std::string cancelled = "2026-01-01T00:05:00Z", none;
  const RunTimes never, ran{at("02:00"), at("06:00"), {}}, queued_then_suspended{{}, {}, at("03:00")},
      ran_then_suspended{at("02:00"), at("06:00"), at("06:00")};
  struct Row {
    const char* what;
    Json conditions;
    bool suspend;
    std::string cancelled;
    RunTimes times;
    int waited, ran;  ///< minutes
    const char* unseen;
  };
  const char *kNoPod = "no pod has started", *kDeleted = "the job's pods are deleted";
  for (const Row& row : std::vector<Row>{
           {"waits", Json::array(), false, none, never, 59, 0, kNoPod},
           {"was cancelled while it waited", Json::array(), true, cancelled, never, 5, 0, kNoPod},
           {"failed while it waited", failed, false, none, never, 9, 0, kNoPod},
           {"was preempted, and waits again", Json::array(), false, none, ran, 2, 4, kDeleted},
           {"was suspended before it ran", Json::array(), true, none, queued_then_suspended, 3, 0, kNoPod},
           {"was suspended while it ran", Json::array(), true, none, ran_then_suspended, 2, 4, kDeleted},
           {"was cancelled while it ran", Json::array(), true, cancelled, ran, 2, 4, kDeleted},
           {"has ended, and its pods are deleted", ended, false, none, ran, 2, 4, kDeleted}}) {
    CAPTURE(std::string(row.what));
    Json whole = job();
    whole["status"] = {{"conditions", row.conditions}};
    whole["spec"]["suspend"] = row.suspend;
    if (!row.cancelled.empty()) whole["metadata"]["annotations"]["kml.dev/cancelled"] = row.cancelled;
    const Efficiency found = efficiency_of(whole, {}, {}, row.times, at("59:00"));
    CHECK(found.waited == std::chrono::minutes(row.waited));
    CHECK(found.ran == std::chrono::minutes(row.ran));
    CHECK(contains(found.unseen.at(0), row.unseen));
  }
}

}  // namespace efficiency_test
