#include <doctest/doctest.h>

#include <string>

#include "job/queue/queue.h"
#include "support/owner.h"

namespace queue_limits_test {

using namespace kml;
using namespace kml::job;

namespace {

Json limited_job() {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "limited"}, {"namespace", "lab"}}},
          {"spec", {{"template", {{"spec", {{"containers", Json::array()}}}}}}}};
}

Json running_pod() {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", "limited-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by("limited", "u")}}},
          {"spec", {{"nodeName", "a"}}},
          {"status", {{"phase", "Running"}}}};
}

/// When the only job in the queue reaches its time limit.
std::optional<Time> end_in(JobQueue& queue) {
  REQUIRE(queue.entries().size() == 1);
  return queue.entries()[0]->ends_by;
}

}  // namespace

TEST_CASE("queue: if both a job and its pods have a time limit, the shorter one applies") {
  JobQueue queue;
  Json limited = limited_job();
  limited["spec"]["activeDeadlineSeconds"] = 3600;
  limited["status"]["startTime"] = "2026-01-01T01:00:00Z";
  Json its_pod = running_pod();
  its_pod["status"]["startTime"] = "2026-01-01T01:00:05Z";
  queue.put(limited);
  queue.put(its_pod);
  CHECK(end_in(queue) == parse_rfc3339("2026-01-01T02:00:00Z"));
  its_pod["spec"]["activeDeadlineSeconds"] = 60;
  queue.put(its_pod);
  CHECK(end_in(queue) == parse_rfc3339("2026-01-01T01:01:05Z"));
}

TEST_CASE("queue: the time of earlier admissions counts toward Kueue's time limit") {
  for (const char* field :
       {"", "accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds"}) {
    CAPTURE(std::string(field));
    JobQueue queue;
    queue.put(limited_job());
    queue.put(running_pod());
    Json workload = {
        {"apiVersion", "kueue.x-k8s.io/v1beta1"},
        {"kind", "Workload"},
        {"metadata",
         {{"name", "w"}, {"namespace", "lab"}, {"ownerReferences", controlled_by("limited", "u")}}},
        {"spec", {{"maximumExecutionTimeSeconds", 3600}}}};
    workload["status"]["conditions"] = Json::array(
        {{{"type", "Admitted"}, {"status", "True"}, {"lastTransitionTime", "2026-01-01T01:00:00Z"}}});
    if (*field) workload["status"][field] = 600;
    queue.put(workload);
    CHECK(end_in(queue) == parse_rfc3339(*field ? "2026-01-01T01:50:00Z" : "2026-01-01T02:00:00Z"));
  }
}

TEST_CASE("queue: a job whose pods are being deleted ends now, whatever its time limit") {
  const Time now = *parse_rfc3339("2026-01-01T01:30:00Z");
  JobQueue queue;
  Json limited = limited_job();
  limited["spec"]["activeDeadlineSeconds"] = 3600;
  limited["status"]["startTime"] = "2026-01-01T01:00:00Z";
  queue.put(limited);
  queue.put(running_pod());
  Json preempted = running_pod();
  preempted["metadata"]["name"] = "limited-1";
  preempted["metadata"]["deletionTimestamp"] = "2026-01-01T01:30:30Z";
  queue.put(preempted);
  CHECK_FALSE(queue.entries()[0]->is_ending(now));
  queue.remove(running_pod());
  CHECK(queue.entries()[0]->is_ending(now));
  CHECK(queue.entries()[0]->ends_by == parse_rfc3339("2026-01-01T02:00:00Z"));
}

}  // namespace queue_limits_test
