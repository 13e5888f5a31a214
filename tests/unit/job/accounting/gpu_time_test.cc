#include "kml/job/accounting/gpu_time.h"

#include <doctest/doctest.h>

#include "job/attempts/eviction.h"
#include "kml/base/files.h"
#include "kml/job/accounting/account_records.h"
#include "kml/job/accounting/gpu_usage.h"
#include "kml/kube/objects/labels.h"
#include "support/temporary_folder.h"

namespace gpu_time_test {

using namespace kml;
using namespace kml::job;

namespace {

Time at(const std::string& hour_minute) {
  return *parse_rfc3339("2026-03-01T" + hour_minute + ":00Z");
}

/// A Job of two pods with four GPUs each, created at 08:00.
Json job() {
  return Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "bert", "namespace": "lab", "uid": "u", "creationTimestamp": "2026-03-01T08:00:00Z"},
    "spec": {"parallelism": 2, "completions": 2, "completionMode": "Indexed", "template": {"spec": {"containers":
      [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}})");
}

Json pod(const std::string& name, const std::string& created, const std::string& started,
         const std::string& finished = "") {
  Json pod = {{"metadata", {{"name", name}, {"namespace", "lab"}, {"uid", name}}},
              {"spec", job()["spec"]["template"]["spec"]},
              {"status", {{"phase", finished.empty() ? "Running" : "Succeeded"}}}};
  pod["metadata"]["creationTimestamp"] = rfc3339(at(created));
  if (!started.empty()) pod["status"]["startTime"] = rfc3339(at(started));
  if (!finished.empty())
    pod["status"]["containerStatuses"] = Json::array(
        {{{"name", "main"},
          {"state", {{"terminated", {{"exitCode", 0}, {"finishedAt", rfc3339(at(finished))}}}}}}});
  return pod;
}

/// The account of a job on a cluster, where only the pods that still exist are known.
JobAccount account(const Json& job, const std::vector<Json>& pods, const std::vector<Disruption>& disruptions,
                   const std::string& now) {
  std::vector<const Json*> own;
  for (const Json& pod : pods) own.push_back(&pod);
  return account_of(job, own, attempts_in(job, own, {}, {}, disruptions), false, at(now));
}

double hours(const JobAccount& account, Use use) {
  const auto sums = usage_of(std::vector{account}, {{}, at("00:00"), at("23:00")});
  return sums.empty() ? 0 : sums[0].of(use);
}

}  // namespace

TEST_CASE("accounting: the tasks of an array have their numbers, not their indexes") {
  Json array = job();
  array["spec"]["template"]["metadata"]["annotations"][std::string(api::kTasks)] = "3-3:1,7-7:1";
  std::vector<Json> pods = {pod("bert-0-bcdfg", "08:00", "08:01", "08:02"),
                            pod("bert-1-bcdfg", "08:00", "08:01")};
  for (Json& one : pods) {
    one["metadata"]["annotations"][std::string(api::kTasks)] = "3-3:1,7-7:1";
    one["metadata"]["labels"][std::string(api::kCompletionIndex)] = &one == pods.data() ? "0" : "1";
  }
  const JobAccount found = account(array, pods, {}, "09:00");
  REQUIRE(found.spans.size() == 2);
  CHECK(found.spans[0].lane == "bert-3");
  CHECK(found.spans[1].lane == "bert-7");
}

TEST_CASE("accounting: if only one of a job's two pods runs, only the time of that pod is counted") {
  const JobAccount half =
      account(job(), {pod("bert-0-bcdfg", "08:00", "09:00"), pod("bert-1-bcdfg", "08:00", "")}, {}, "11:00");
  CHECK(hours(half, Use::open) == doctest::Approx(8));  // one of the pods ran for two hours
  CHECK(half.share_covered().value() == doctest::Approx(1));
}

TEST_CASE("accounting: the time of a pod that was preempted unseen is marked as unknown, not invented") {
  // For index 1, only the second pod is known, which was created three hours after the job.
  const JobAccount seen = account(
      job(), {pod("bert-0-bcdfg", "08:00", "08:00", "12:00"), pod("bert-1-hjklm", "11:00", "11:00", "12:00")},
      {}, "12:00");
  CHECK(hours(seen, Use::well) == doctest::Approx(20));
  CHECK(hours(seen, Use::lost) + hours(seen, Use::unclear) == 0);
  CHECK(seen.share_covered().value() == doctest::Approx(5.0 / 8).epsilon(0.01));
}

TEST_CASE(
    "accounting: after a recorded preemption without steps, the amount of GPU time is known, but not its "
    "use") {
  Disruption disruption{.pod = "bert-1-bcdfg", .uid = "p1", .start = at("08:00"), .time = at("10:59")};
  disruption.reason = kPreempted;
  const JobAccount seen = account(
      job(), {pod("bert-0-bcdfg", "08:00", "08:00", "12:00"), pod("bert-1-hjklm", "11:00", "11:00", "12:00")},
      {disruption}, "12:00");
  CHECK(hours(seen, Use::unclear) == doctest::Approx(4 * 179 / 60.0));
  CHECK(seen.disruptions == 1);
  CHECK(seen.share_covered().value() > 0.99);
}

TEST_CASE("accounting: a suspended job holds no GPUs, and that time is known") {
  Json suspended = job();
  suspended["spec"]["suspend"] = true;
  suspended["status"]["conditions"] = Json::array(
      {{{"type", "Suspended"}, {"status", "True"}, {"lastTransitionTime", "2026-03-01T09:00:00Z"}}});
  const JobAccount seen = account(suspended, {}, {}, "12:00");
  CHECK(seen.spans.empty());
  CHECK(seen.share_covered().value() == doctest::Approx(3.0 / 4));
  // `kml cancel` leaves it suspended. A job that Kueue or --after had suspended was waiting.
  suspended["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-03-01T11:00:00Z";
  CHECK(account(suspended, {}, {}, "12:00").suspended == at("09:00"));
  Json queued = suspended, after = suspended;
  queued["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
  after["metadata"]["annotations"]["kml.dev/after"] = "prepare";
  CHECK_FALSE(account(queued, {}, {}, "12:00").suspended);
  CHECK_FALSE(account(after, {}, {}, "12:00").suspended);
}

TEST_CASE(
    "accounting: for a job that Kueue has evicted, the Workload shows the GPU time, and when no pod ran") {
  // Admitted at 09:00, evicted at 10:00, as Kueue 0.19 writes it.
  Json workload =
      Json::parse(R"({"kind": "Workload", "metadata": {"name": "w", "namespace": "lab", "uid": "w"},
    "status": {"accumulatedPastExecutionTimeSeconds": 3600,
      "schedulingStats": {"evictions": [{"reason": "Preempted", "underlyingCause": "", "count": 1}]},
      "conditions": [
        {"type": "QuotaReserved", "status": "False", "reason": "Pending", "lastTransitionTime": "2026-03-01T10:00:00Z"},
        {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "Preempted to accommodate a workload", "lastTransitionTime": "2026-03-01T10:00:00Z"},
        {"type": "Requeued", "status": "True", "reason": "Preempted", "lastTransitionTime": "2026-03-01T10:00:00Z"}]
}
})");
  Json& conditions = workload["status"]["conditions"];
  std::vector<Json> pods;
  Use use = Use::unclear;
  double open = 0, disruptions = 1;
  SUBCASE("the job waits again") {}
  SUBCASE("the job has run again since 11:00") {
    conditions[0].update({{"status", "True"}, {"lastTransitionTime", "2026-03-01T11:00:00Z"}});
    conditions[1].update(
        {{"status", "False"}, {"reason", "QuotaReserved"}, {"lastTransitionTime", "2026-03-01T11:00:00Z"}});
    pods = {pod("bert-0-bcdfg", "11:00", "11:00"), pod("bert-1-bcdfg", "11:00", "11:00")};
    open = 8;
  }
  SUBCASE("the job's pods were not ready in time") {
    workload["status"]["schedulingStats"]["evictions"][0]["reason"] = "PodsReadyTimeout";
    conditions[1]["reason"] = "PodsReadyTimeout";
    conditions[2].update({{"status", "False"}, {"reason", "PodsReadyTimeout"}});
  }
  SUBCASE("a user has suspended the job") {
    workload["status"]["schedulingStats"]["evictions"][0]["reason"] = "Deactivated";
    conditions[1]["reason"] = "Deactivated";
    use = Use::stopped;
    disruptions = 0;
  }
  const auto eviction = eviction_of(workload, {});
  REQUIRE(eviction);
  std::vector<const Json*> own;
  for (const Json& one : pods) own.push_back(&one);
  const JobAccount seen =
      account_of(job(), own, attempts_in(job(), own, {}, {}, {*eviction}), false, at("12:00"), &workload);
  CHECK(hours(seen, use) == doctest::Approx(8));  // two pods of four GPUs, for an hour
  CHECK(hours(seen, Use::open) == doctest::Approx(open));
  CHECK(seen.disruptions == disruptions);
  CHECK(seen.share_covered().value() == doctest::Approx(1));
}

TEST_CASE(
    "accounting: the time in Kueue's queue is known if the Workload shows since when the job has waited "
    "there") {
  Json workload =
      Json::parse(R"({"kind": "Workload", "metadata": {"uid": "w"}, "status": {"conditions": []}})");
  double known = 1;
  SUBCASE("the job still waits") {}
  SUBCASE("the job was admitted at 11:00, and its pods are gone") {
    workload["status"]["conditions"] = Json::array(
        {{{"type", "QuotaReserved"}, {"status", "True"}, {"lastTransitionTime", "2026-03-01T11:00:00Z"}}});
    known = 3.0 / 4;
  }
  SUBCASE("the job was evicted when its queue was stopped, and admitted again") {
    workload["status"]["schedulingStats"]["evictions"] =
        Json::array({{{"reason", "ClusterQueueStopped"}, {"count", 1}}});
    workload["status"]["conditions"] = Json::array(
        {{{"type", "QuotaReserved"}, {"status", "True"}, {"lastTransitionTime", "2026-03-01T11:00:00Z"}},
         {{"type", "Requeued"},
          {"status", "True"},
          {"reason", "ClusterQueueRestarted"},
          {"lastTransitionTime", "2026-03-01T11:00:00Z"}}});
    known = 0;  // Kueue does not say when its queue was stopped
  }
  SUBCASE("the job was evicted twice") {
    workload["status"]["schedulingStats"]["evictions"] =
        Json::array({{{"reason", "Preempted"}, {"count", 2}}});
    known = 0;
  }
  const JobAccount seen = account_of(job(), {}, {}, false, at("12:00"), &workload);
  CHECK(seen.spans.empty());
  CHECK(seen.share_covered().value() == doctest::Approx(known));
}

TEST_CASE("accounting: for a choice of GPU types, the GPU type is the text of the choice") {
  Json chosen = job();
  chosen["metadata"]["annotations"]["kml.dev/gpus"] = "h100|a100:4";
  CHECK(account(chosen, {}, {}, "12:00").gpu_type == "h100|a100");
}

TEST_CASE("accounting: a pod whose clock is ahead has no negative time") {
  const JobAccount seen = account(job(), {pod("bert-0-bcdfg", "08:00", "08:02")}, {}, "08:01");
  CHECK(seen.spans.empty());
}

TEST_CASE("accounting: the GPU time of a job that has no pods yet is not missing") {
  CHECK_FALSE(account(job(), {}, {}, "08:30").is_unknown());
}

TEST_CASE("accounting: if only the run record of a job is left, its GPU time is unknown") {
  Submission run;
  run.id = "0123";
  run.time = at("08:00");
  run.user = "ana";
  run.namespace_name = "lab";
  run.outcomes["Job/bert"] = {State::succeeded, "", at("10:00")};
  const JobAccount gone = account_of_record(run, job(), at("12:00"));
  CHECK(gone.share_covered().value() == 0);
  CHECK(gone.is_unknown());
  const auto sums = usage_of(std::vector{gone}, {{"user"}, at("09:00"), at("12:00")});
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].values[0] == "ana");
  CHECK(!sums[0].is_known());
  CHECK(sums[0].wanted == doctest::Approx(8));  // eight GPUs in the requested hour
}

TEST_CASE("accounting: a job that ran for less than a second is treated as one that ran") {
  for (const std::vector<std::string>& by : {std::vector<std::string>{"user"}, {"day"}}) {
    JobAccount account;
    account.user = "ana";
    account.spans = {{at("08:00"), at("08:00"), 1, Use::well, ""}};
    const auto sums = usage_of(std::vector{account}, {by, at("07:00"), at("12:00")});
    REQUIRE(sums.size() == 1);
    CHECK(sums[0].jobs == 1);
    CHECK(sums[0].held() == 0);
    CHECK(usage_of(std::vector{account}, {by, at("09:00"), at("12:00")}).empty());
  }
}

TEST_CASE("accounting: days follow a time zone, even when its clocks change") {
  JobAccount account;
  account.spans = {
      {*parse_rfc3339("2026-03-28T22:00:00Z"), *parse_rfc3339("2026-03-29T23:00:00Z"), 1, Use::well, ""}};
  const auto sums = usage_of(std::vector{account}, {{"day"},
                                                    *parse_rfc3339("2026-03-01T00:00:00Z"),
                                                    *parse_rfc3339("2026-04-01T00:00:00Z"),
                                                    TimeZone::find("Europe/Berlin").value()});
  REQUIRE(sums.size() == 3);
  CHECK(sums[0].values[0] == "2026-03-28");
  CHECK(sums[0].held() == doctest::Approx(1));
  CHECK(sums[1].held() == doctest::Approx(23));  // the clocks went forward
  CHECK(sums[2].held() == doctest::Approx(1));
}

TEST_CASE("accounting: of several records of a job, the last is used, and an incomplete line is skipped") {
  TemporaryFolder folder;
  const AccountRecords records(folder.path() / "gpu_time.jsonl");
  JobAccount account;
  account.key = "a";
  account.state = "Failed";
  records.add({account});
  append_durably(folder.path() / "gpu_time.jsonl", "{\"key\":\"b\",\"na");
  account.state = "Succeeded";
  records.add({account});
  REQUIRE(records.read().size() == 1);
  CHECK(records.read().at("a").state == "Succeeded");
}

}  // namespace gpu_time_test
