#include "job/queue/estimate.h"

#include <doctest/doctest.h>
#include "support/owner.h"

namespace estimate_test {

using namespace kml;
using namespace kml::job;

namespace {

const Time kNow = *parse_rfc3339("2026-01-01T12:00:00Z");

Json node(int gpus) {
  return {{"metadata", {{"name", "a"}}},
          {"status", {{"allocatable", {{"nvidia.com/gpu", std::to_string(gpus)}, {"pods", "110"}}}}}};
}

Json job(const std::string& name, int gpus) {
  Json object = Json::parse(
      R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "lab"}, "spec": {}})");
  object["metadata"]["name"] = name;
  object["metadata"]["creationTimestamp"] = rfc3339(kNow - std::chrono::hours(3));
  object["spec"]["template"]["spec"]["containers"] =
      Json::array({{{"resources", {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}}});
  return object;
}

Json pod(const Json& of_job, const char* phase, const char* on_node) {
  Json object = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"status", {{"phase", phase}}}};
  const std::string name = string_at(of_job, {"metadata", "name"});
  object["metadata"] = {
      {"name", name + "-0"}, {"namespace", "lab"}, {"ownerReferences", controlled_by(name, "u")}};
  object["spec"] = of_job["spec"]["template"]["spec"];
  object["spec"]["nodeName"] = on_node;
  object["status"]["startTime"] = rfc3339(kNow - std::chrono::hours(1));
  return object;
}

/// Puts the job with a pod that waits for a node.
void put_waiting(JobQueue& queue, const Json& waiting) {
  queue.put(waiting);
  queue.put(pod(waiting, "Pending", ""));
}

/// A job that has run for an hour and holds all GPUs, and a waiting one.
JobQueue full(const Json& running) {
  JobQueue queue;
  queue.put(running);
  queue.put(pod(running, "Running", "a"));
  put_waiting(queue, job("waits", 8));
  return queue;
}

StartEstimates estimates(JobQueue& queue) {
  const std::vector<Json> nodes = {node(8)};
  return estimate_starts(queue, nodes, kNow);
}

std::chrono::minutes from_now(Time time) {
  return std::chrono::duration_cast<std::chrono::minutes>(time - kNow);
}

}  // namespace

TEST_CASE("estimate: without any known duration, kml makes no estimate") {
  JobQueue queue = full(job("runs", 8));
  CHECK(estimates(queue).empty());
}

TEST_CASE("estimate: a time limit is an upper bound") {
  Json running = job("runs", 8);
  running["spec"]["activeDeadlineSeconds"] = 2 * 3600;
  running["status"]["startTime"] = rfc3339(kNow - std::chrono::hours(1));
  JobQueue queue = full(running);
  const StartEstimates starts = estimates(queue);
  REQUIRE(starts.contains("lab/Job/waits"));
  CHECK(from_now(starts.at("lab/Job/waits").latest).count() == 60);
  CHECK(from_now(starts.at("lab/Job/waits").earliest).count() < 30);
}

TEST_CASE(
    "estimate: jobs whose names differ only in a random or numbered suffix show how long such a job may "
    "take") {
  JobQueue queue = full(job("train-7", 8));
  for (int i = 0; i < 5; ++i) {
    Json done = job("train-" + std::to_string(100 + i), 8);
    done["status"] = {{"startTime", rfc3339(kNow - std::chrono::hours(3))},
                      {"completionTime", rfc3339(kNow - std::chrono::minutes(90 - i))},
                      {"conditions", Json::array({{{"type", "Complete"}, {"status", "True"}}})}};
    Json its_pod = pod(done, "Succeeded", "a");
    its_pod["status"]["startTime"] = rfc3339(kNow - std::chrono::hours(3));
    // includes the time for which it waited
    done["status"]["startTime"] = rfc3339(kNow - std::chrono::hours(9));
    queue.put(done);
    queue.put(its_pod);
  }
  const StartEstimates starts = estimates(queue);
  REQUIRE(starts.size() == 1);
  // The similar jobs took 90 to 94 minutes, and this job has run for 60. It may also run longer than all of
  // them.
  CHECK(from_now(starts.at("lab/Job/waits").earliest).count() < 30);
  CHECK(from_now(starts.at("lab/Job/waits").latest).count() >= 30);
  CHECK(from_now(starts.at("lab/Job/waits").latest).count() <= 81);
}

TEST_CASE(
    "estimate: if no node is large enough, or if the job waits for something other than room, kml makes no "
    "estimate") {
  Json running = job("runs", 8);
  running["spec"]["activeDeadlineSeconds"] = 2 * 3600;
  JobQueue queue = full(running);
  put_waiting(queue, job("huge", 9));
  Json no_volume = job("no-volume", 1);
  Json its_pod = pod(no_volume, "Pending", "");
  its_pod["status"]["conditions"] = Json::parse(R"([{"type": "PodScheduled", "status": "False",
    "message": "0/1 nodes are available: persistentvolumeclaim \"x\" not found."}])");
  queue.put(no_volume);
  queue.put(its_pod);
  const StartEstimates starts = estimates(queue);
  CHECK(starts.size() == 1);
  CHECK(starts.contains("lab/Job/waits"));
}

namespace {

Json priority_class(const std::string& name, int value, const std::string& policy) {
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", name}}},
          {"value", value},
          {"preemptionPolicy", policy}};
}

Json limited(const std::string& name, int gpus) {
  Json made = job(name, gpus);
  made["spec"]["activeDeadlineSeconds"] = 2 * 3600;
  made["status"]["startTime"] = rfc3339(kNow - std::chrono::hours(1));
  return made;
}

/// A pod that the scheduler has told to stop, and that has half a minute left.
Json preempted(Json pod) {
  pod["metadata"]["deletionTimestamp"] = rfc3339(kNow + std::chrono::seconds(30));
  pod["status"]["conditions"] = Json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
  return pod;
}

Json of_class(Json job, const std::string& name) {
  job["spec"]["template"]["spec"]["priorityClassName"] = name;
  return job;
}

}  // namespace

TEST_CASE("estimate: while a waiting job may preempt running ones, kml makes no estimate") {
  struct Row {
    const char* what;
    std::string policy;
    int gpus, most_each;  ///< the GPUs of the urgent job, and of each node
    bool has_estimate;
    int pods = 1;
    bool is_gang = false;
  };
  for (const Row& row : {Row{"it preempts", "PreemptLowerPriority", 8, 8, false},
                         Row{"its class does not preempt", "Never", 8, 8, true},
                         Row{"preemption cannot help it", "PreemptLowerPriority", 9, 8, true},
                         Row{"its first pod preempts", "PreemptLowerPriority", 8, 8, false, 2},
                         Row{"not all of a gang would fit", "PreemptLowerPriority", 5, 8, true, 2, true}}) {
    CAPTURE(row.what);
    const Json running = limited("runs", 8);
    JobQueue queue;
    queue.put(priority_class("urgent", 1000, row.policy));
    queue.put(running);
    queue.put(pod(running, "Running", "a"));
    put_waiting(queue, job("waits", 3));
    Json urgent = of_class(job("urgent", row.gpus), "urgent");
    urgent["spec"]["parallelism"] = urgent["spec"]["completions"] = row.pods;
    if (row.is_gang) urgent["metadata"]["annotations"]["kml.dev/gang"] = "true";
    put_waiting(queue, urgent);
    CHECK(estimates(queue).empty() == !row.has_estimate);
    // The urgent job never starts if it does not fit, and otherwise comes first.
    const bool fits = row.gpus <= row.most_each && row.pods == 1;
    CHECK(estimates(queue).contains("lab/Job/urgent") == (row.has_estimate && fits));
  }
}

TEST_CASE("estimate: pods that are stopping free their resources when their grace period ends") {
  const Json running = limited("runs", 8);
  JobQueue queue;
  queue.put(priority_class("urgent", 1000, "PreemptLowerPriority"));
  queue.put(running);
  queue.put(preempted(pod(running, "Running", "a")));
  put_waiting(queue, of_class(limited("urgent", 8), "urgent"));
  put_waiting(queue, job("waits", 8));
  StartEstimates starts = estimates(queue);
  REQUIRE(starts.contains("lab/Job/urgent"));
  CHECK(starts.at("lab/Job/urgent").earliest == kNow + std::chrono::seconds(30));
  CHECK(starts.at("lab/Job/urgent").latest == kNow + std::chrono::seconds(30));
  CHECK(starts.contains("lab/Job/waits"));
  SUBCASE("the preempted job waits again, before lower-priority jobs") {
    Json important = pod(running, "Running", "a");
    important["spec"]["priority"] = 10;
    queue.put(preempted(important));
    starts = estimates(queue);
    CHECK(starts.contains("lab/Job/urgent"));
    CHECK_FALSE(starts.contains("lab/Job/waits"));
  }
  SUBCASE("a pod that should have ended long ago may never end") {
    Json stuck = preempted(pod(running, "Running", "a"));
    stuck["metadata"]["deletionTimestamp"] = rfc3339(kNow - std::chrono::minutes(5));
    queue.put(stuck);
    CHECK(estimates(queue).empty());
  }
}

}  // namespace estimate_test
