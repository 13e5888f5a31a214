#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "job/views/time_limit.h"
#include "job/why/objects.h"
#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/job/why/why.h"

/// A Job's time limit counts from its startTime, even while its pods wait.
namespace time_limit_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kStarted = "2026-01-01T01:59:30Z";  // 30 s ago

Json limited(int seconds, const std::string& kind = "Job") {
  Json job = make_job("own", 1);
  job["status"]["startTime"] = kStarted;
  if (kind == "Job") {
    job["spec"]["activeDeadlineSeconds"] = seconds;
    return job;
  }
  job["apiVersion"] = "kubeflow.org/v1";
  job["kind"] = kind;
  job["spec"] = {
      {"runPolicy", {{"activeDeadlineSeconds", seconds}}},
      {"pytorchReplicaSpecs", {{"Master", {{"replicas", 1}, {"template", job["spec"]["template"]}}}}}};
  return job;
}

Json failed_at(const Json& job, const std::string& suffix, const std::string& time, int code) {
  Json pod = on_node(make_pod(job, suffix), "a", "Failed");
  pod["status"]["startTime"] = kStarted;
  pod["status"]["containerStatuses"] = Json::array(
      {{{"name", "main"}, {"state", {{"terminated", {{"exitCode", code}, {"finishedAt", time}}}}}}});
  return pod;
}

}  // namespace

TEST_CASE("time limit: `kml why` says that the limit includes the wait") {
  struct Row {
    const char* what;
    Json job;
    bool is_on_node;
    const char* text;
  };
  Json suspended = limited(90), unlimited = limited(90), unseen = limited(90);
  suspended["spec"]["suspend"] = true;
  unlimited["spec"].erase("activeDeadlineSeconds");
  unseen["status"].erase("startTime");
  for (const Row& row : std::vector<Row>{
           {"it waits", limited(90), false,
            "its time limit of 90s includes this wait, and ends the job in about 60s"},
           {"its limit has passed", limited(20), false, "includes this wait, and ends the job soon"},
           {"a suspended job has no clock", suspended, false, nullptr},
           {"no limit", unlimited, false, nullptr},
           {"its controller has not seen it", unseen, false, nullptr},
           {"it runs", limited(90), true, nullptr}}) {
    CAPTURE(std::string(row.what));
    const Json pod = make_pod(row.job);
    Known known(row.job, {row.is_on_node ? on_node(pod, "a")
                                         : unschedulable(pod,
                                                         "0/1 nodes are available: 1 Insufficient "
                                                         "nvidia.com/gpu.")});
    const std::string summary = known.cause().summary;
    if (row.text)
      CHECK_MESSAGE(contains(summary, row.text), summary);
    else
      CHECK_MESSAGE(!contains(summary, "time limit"), summary);
  }
}

TEST_CASE("time limit: status says what is left of it, in each state") {
  const Time now = *parse_rfc3339("2026-01-01T02:00:00Z");
  Json suspended = limited(90), unlimited = limited(90), unseen = limited(90), queued = limited(90);
  suspended["spec"]["suspend"] = queued["spec"]["suspend"] = true;
  queued["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "lab";
  unlimited["spec"].erase("activeDeadlineSeconds");
  unseen["status"].erase("startTime");
  Json suspended_torch = limited(90, "PyTorchJob");
  suspended_torch["spec"]["runPolicy"]["suspend"] = true;
  Json retried = limited(90);
  retried["status"]["failed"] = 1;
  Json resumed = limited(90);
  resumed["status"]["startTime"] = "2026-01-01T02:00:00Z";
  const Json ended = with_condition(limited(90), "Complete", "CompletionsReached");
  struct Row {
    const char* what;
    Json job;
    bool any_pod_runs;
    std::string text;
  };
  for (const Row& row : std::vector<Row>{
           {"waiting", limited(90), false, "90s, includes this wait, and ends the job in about 60s"},
           {"running", limited(90), true, "90s, ends the job in about 60s"},
           {"for 30 s of 30 min", limited(1800), true, "30m, ends the job in about 30m"},
           {"for 30 s of 5 h", limited(5 * 3600), true, "5h, ends the job in about 5h"},
           {"for 30 s of 12 h", limited(12 * 3600), true, "12h, ends the job in about 12h"},
           {"for 30 s of 4 days", limited(4 * 86400), true, "4d, ends the job in about 4d"},
           {"for 30 s of 10 days", limited(10 * 86400), true, "10d, ends the job in about 10d"},
           {"its time is over", limited(20), true, "20s, ends the job soon"},
           {"running again after a failure", retried, true, "90s, ends the job in about 60s"},
           {"waiting for another attempt", retried, false,
            "90s, includes this wait, and ends the job in about 60s"},
           {"suspended", suspended, false, "90s, counted from when the job is resumed"},
           {"suspended, and its pods are stopping", suspended, true,
            "90s, counted from when the job is resumed"},
           {"resumed", resumed, false, "90s, includes this wait, and ends the job in about 90s"},
           {"held by a queue", queued, false, "90s, counted from when the job may start"},
           {"its controller has not seen it", unseen, false, "90s"},
           {"ended", ended, false, "90s"},
           {"a running PyTorchJob", limited(90, "PyTorchJob"), true, "90s, ends the job in about 60s"},
           {"a suspended PyTorchJob", suspended_torch, false, "90s, counted from when the job is resumed"},
           {"no limit", unlimited, true, ""}}) {
    CAPTURE(std::string(row.what));
    const job::State state = job::state_of(row.job, row.any_pod_runs);
    CHECK(job::time_limit_in_words(row.job, state, now) == row.text);
  }
}

TEST_CASE("time limit: if it is reached while the job waits, kml says so, and shows no start") {
  struct Row {
    const char* what;
    const char* kind;
    const char* field;  ///< a field of the status with the value 1; empty if there is none
    bool waited;
  };
  for (const Row& row : std::vector<Row>{{"no pod ran", "Job", "", true},
                                         {"a pod ran until then", "Job", "failed", false},
                                         {"a part had succeeded", "Job", "succeeded", false},
                                         {"no replica ran", "PyTorchJob", "", true}}) {
    CAPTURE(std::string(row.what));
    Json job = with_condition(limited(20, row.kind), "Failed", "DeadlineExceeded");
    if (*row.field) job["status"][row.field] = 1;
    Known known(job);
    const job::Cause cause = known.cause();
    CHECK(cause.brief == (row.waited ? "time limit reached while it waited" : "time limit reached"));
    CHECK(cause.summary == (row.waited ? "its time limit of 20s passed while it waited"
                                       : "its time limit of 20s was reached"));
    CHECK(contains(cause.remedies.at(0).what, "long enough for the wait") == row.waited);
    CHECK(job::view_of_job(job).started.has_value() != row.waited);
  }
}

TEST_CASE(
    "time limit: an attempt that would start after the limit is not announced, and the last failure is "
    "kept") {
  Json job = limited(35);  // ends in 5 s
  job["spec"]["backoffLimit"] = 3;
  const Json first = failed_at(job, "0", "2026-01-01T01:59:40Z", 2),
             second = failed_at(job, "1", "2026-01-01T01:59:55Z", 3);
  const job::Cause waits = Known(job, {first, second}).cause();
  CHECK(waits.brief == "no other attempt before its time limit: exit code 3");
  CHECK(contains(waits.summary,
                 "its time limit ends the job in about 5s, before the next attempt would "
                 "start"));
  Json longer = job;
  longer["spec"]["activeDeadlineSeconds"] = 100;
  CHECK(Known(longer, {first, second}).cause().brief == "next attempt in about 15s: exit code 3");
  Json late = with_condition(job, "Failed", "DeadlineExceeded");
  late["status"]["failed"] = 2;
  const job::Cause ended = Known(late, {first, second}).cause();
  CHECK(ended.brief == "time limit reached after exit code 3");
  CHECK(contains(ended.summary, "its time limit of 35s was reached while it waited for its next attempt"));
  CHECK(contains(ended.summary, "pod own-1: exit code 3"));
  // The second attempt ran until the limit.
  const Json stopped = failed_at(job, "1", "2026-01-01T02:00:06Z", 143);
  CHECK(Known(late, {first, stopped}).cause().brief == "time limit reached");
}

}  // namespace time_limit_test
