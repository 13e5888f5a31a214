#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace end_cause_test {

using namespace kml;
using namespace kml::test;

TEST_CASE("why: a job whose command exited with 0 after the cluster stopped it has succeeded") {
  const Json bert = make_job("bert");
  Json stopped = on_node(make_pod(bert), "node1", "Succeeded");
  const Json done = with_condition(bert, "Complete", "");
  CHECK(Known(done, {stopped}).cause().summary == "has succeeded");
  stopped["status"]["conditions"] = {
      {{"type", "DisruptionTarget"}, {"status", "True"}, {"reason", "EvictionByEvictionAPI"}}};
  const auto evicted = Known(done, {stopped}).cause();
  CHECK(evicted.summary.starts_with("has succeeded, but pod bert-0 was stopped by the cluster: the pod was"));
  CHECK(evicted.summary.ends_with("its command then exited with 0, which is a success"));
  CHECK(evicted.remedies.back().what.find("143") != std::string::npos);
}

namespace {

/// A pod that ran from `begin` to `end`, in seconds, and then failed.
Json failed_pod(const Json& of, const std::string& suffix, int begin, int end, int code) {
  const auto at = [](int second) {
    return rfc3339(*parse_rfc3339("2026-01-01T00:00:00Z") + std::chrono::seconds(second));
  };
  Json pod = on_node(make_pod(of, suffix), "node1", "Failed");
  pod["metadata"]["creationTimestamp"] = at(begin);
  pod["status"]["containerStatuses"] = {
      {{"name", "main"},
       {"state", {{"terminated", {{"exitCode", code}, {"reason", "Error"}, {"finishedAt", at(end)}}}}}}};
  return pod;
}

Json failed_job(bool is_indexed) {
  Json job = make_job("bert");
  job["spec"]["backoffLimit"] = 2;
  if (is_indexed) job["spec"].update({{"completionMode", "Indexed"}, {"completions", 2}, {"parallelism", 2}});
  job["status"]["failed"] = 3;
  return with_condition(job, "Failed", "BackoffLimitExceeded");
}

}  // namespace

TEST_CASE("why: a failed job's cause is the first failure of its last attempt") {
  struct Pod {
    const char* suffix;
    int begin, end, code;
  };
  struct Row {
    const char* what;
    bool is_indexed;
    std::vector<Pod> pods;
    const char *brief, *first;  ///< what is said about the first attempt; empty if nothing
  };
  for (const Row& row : std::vector<Row>{
           {"attempts that fail otherwise",
            false,
            {{"a", 0, 5, 3}, {"b", 15, 20, 4}, {"c", 40, 45, 5}},
            "exit code 5",
            "exit code 3"},
           {"attempts that fail alike",
            false,
            {{"a", 0, 5, 3}, {"b", 15, 20, 4}, {"c", 40, 45, 3}},
            "exit code 3",
            ""},
           {"the server lists the newest first",
            false,
            {{"c", 40, 45, 5}, {"a", 0, 5, 3}},
            "exit code 5",
            "exit code 3"},
           {"pods that fail together", false, {{"a", 0, 7, 3}, {"b", 0, 5, 4}}, "exit code 4", ""},
           {"an index that failed later",
            true,
            {{"0-bcdfg", 0, 5, 3}, {"1-bcdfg", 6, 9, 4}},
            "exit code 3",
            ""},
           {"an index that was tried again",
            true,
            {{"0-bcdfg", 0, 5, 3}, {"1-bcdfg", 0, 30, 4}, {"0-hjklm", 15, 40, 5}},
            "exit code 4",
            ""}}) {
    CAPTURE(std::string(row.what));
    const Json job = failed_job(row.is_indexed);
    std::vector<Json> pods;
    for (const Pod& pod : row.pods) pods.push_back(failed_pod(job, pod.suffix, pod.begin, pod.end, pod.code));
    const job::Cause cause = Known(job, pods).cause();
    CHECK(cause.brief == row.brief);
    const std::string first = *row.first ? std::string("; the first attempt: ") + row.first : "";
    CHECK(contains(cause.summary, first));
    CHECK(contains(cause.summary, "first attempt") == !first.empty());
  }
}

TEST_CASE("why: a crash whose restart used up the retries is the cause, not the stop of the pod") {
  const Json job = failed_job(false);
  Json pod = failed_pod(job, "a", 0, 9, 143);
  pod["status"]["reason"] = "BackoffLimitExceeded";
  CHECK(Known(job, {pod}).cause().brief == "stopped with its job");
  pod["status"]["containerStatuses"][0]["lastState"]["terminated"] = {{"exitCode", 6}, {"reason", "Error"}};
  CHECK(Known(job, {pod}).cause().brief == "exit code 6");
  CHECK(Known(job, {pod}).cause().exit_code == 6);
  CHECK(job::basic_view_of_pod(pod).exit_code == 6);
}

TEST_CASE("why: a cancelled job whose pods are stopping is not about to run") {
  Json bert = make_job("bert");
  bert["spec"]["suspend"] = true;
  api::set_annotation(bert, api::kCancelled, "2026-01-01T01:59:59Z");
  const job::Cause cause = Known(bert, {on_node(make_pod(bert), "gpu-1")}).cause();
  CHECK(cause.code == job::CauseCode::stopping);
  CHECK(cause.outlook == job::Outlook::none);
}

}  // namespace end_cause_test
