#include "kml/job/views/job_view.h"

#include <doctest/doctest.h>

#include "job/views/run_spans.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "support/owner.h"

namespace job_view_test {

using namespace kml;
using namespace kml::job;

namespace {

Json job(const std::string& name, int created_second, const std::string& priority = "") {
  Json object = parse_json(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "lab"},
    "spec": {"parallelism": 2, "template": {"spec": {"containers":
      [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}})",
                           "job");
  object["metadata"]["name"] = name;
  object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:0" + std::to_string(created_second) + "Z";
  if (!priority.empty()) object["spec"]["template"]["spec"]["priorityClassName"] = priority;
  return object;
}

Json pod(const std::string& of_job, const std::string& phase) {
  Json object;
  object["metadata"] = {{"name", of_job + "-0"}, {"namespace", "lab"}};
  object["metadata"]["ownerReferences"] = controlled_by(of_job, "u");
  object["status"]["phase"] = phase;
  return object;
}

Json with_condition(Json object, const std::string& type, const std::string& reason = "") {
  Json condition;
  condition["type"] = type;
  condition["status"] = "True";
  condition["reason"] = reason;
  object["status"]["conditions"].push_back(condition);
  return object;
}

JobView view(const Json& object, const Json& own_pod) {
  const Json* pods[] = {&own_pod};
  return view_of_job(object, pods);
}

}  // namespace

TEST_CASE("job view: GPUs are added up over all pods of a job") {
  CHECK(view_of_job(job("a", 1)).gpus == 8);
  CHECK(view_of_job(job("a", 1)).pods == 2);
}

TEST_CASE("job view: a cancelled job is cancelling as long as a pod runs") {
  Json object = job("a", 1);
  object["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T00:00:09Z";
  CHECK(view(object, pod("a", "Running")).state == State::cancelling);
  CHECK(name_of(State::cancelling) == "Cancelling");
  CHECK(view(object, pod("a", "Failed")).state == State::cancelled);
  CHECK(view(with_condition(object, "Failed"), pod("a", "Failed")).state == State::cancelled);
  CHECK_FALSE(has_ended(State::cancelling));
}

TEST_CASE("job view: the run time of a job that is cancelled between two attempts is that of its attempts") {
  Json object = job("a", 1), failed = pod("a", "Failed");
  object["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T01:00:00Z";
  object["spec"]["suspend"] = true;
  failed["spec"]["nodeName"] = "n";
  failed["status"]["startTime"] = "2026-01-01T00:00:02Z";
  const auto ended_at = [&](const char* time) {
    failed["status"]["containerStatuses"] = {{{"state", {{"terminated", {{"finishedAt", time}}}}}}};
    return view(object, failed);
  };
  const JobView waited = ended_at("2026-01-01T00:00:09Z");
  CHECK(waited.state == State::cancelled);
  CHECK(waited.finished == parse_rfc3339("2026-01-01T01:00:00Z"));
  CHECK_FALSE(waited.started);
  CHECK(waited.ran == std::chrono::seconds(7));
  const JobView at_once = ended_at("2026-01-01T01:00:00Z");
  CHECK(at_once.started == parse_rfc3339("2026-01-01T00:00:02Z"));
  CHECK_FALSE(at_once.ran);
  CHECK(waited.run_time() == std::chrono::seconds(7));
  CHECK(at_once.run_time() == std::chrono::seconds(3598));
  CHECK_FALSE(view(job("a", 1), pod("a", "Running")).run_time());
}

TEST_CASE("job view: a job that reached its time limit between two attempts did not run until then") {
  struct Row {
    const char* reason;
    const char* pod_ended;
    std::optional<nanoseconds> ran;
  };
  for (const Row& row : {Row{"DeadlineExceeded", "2026-01-01T00:00:09Z", std::chrono::seconds(7)},
                         Row{"DeadlineExceeded", "2026-01-01T00:00:02Z", std::chrono::seconds(0)},
                         Row{"DeadlineExceeded", "2026-01-01T01:00:00Z", {}},  // it ran until the limit
                         Row{"BackoffLimitExceeded", "2026-01-01T00:00:09Z", {}}}) {
    CAPTURE(row.pod_ended);
    Json object = with_condition(job("a", 1), "Failed", row.reason), failed = pod("a", "Failed");
    object["status"]["conditions"][0]["lastTransitionTime"] = "2026-01-01T01:00:00Z";
    failed["spec"]["nodeName"] = "n";
    failed["status"].update(
        {{"startTime", "2026-01-01T00:00:02Z"},
         {"containerStatuses", {{{"state", {{"terminated", {{"finishedAt", row.pod_ended}}}}}}}}});
    const JobView ended = view(object, failed);
    CHECK(ended.started == parse_rfc3339("2026-01-01T00:00:02Z"));
    CHECK(ended.ran == row.ran);
    const nanoseconds all = std::chrono::seconds(3598);  // from the start to the end
    CHECK(ended.run_time() == row.ran.value_or(all));
  }
}

TEST_CASE("job view: a job whose pods are gone when it is cancelled has the run time that the cancel noted") {
  Json object = job("a", 1);
  object["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T01:00:00Z";
  object["spec"]["suspend"] = true;
  object["status"]["startTime"] = "2026-01-01T00:00:02Z";
  CHECK_FALSE(view_of_job(object).ran);
  object["metadata"]["annotations"]["kml.dev/ran"] = "90";
  CHECK(view_of_job(object).ran == std::chrono::seconds(90));
  object["status"]["failed"] = 1;  // the start is known
  CHECK_FALSE(view_of_job(object).ran);
}

TEST_CASE("job view: times in which several pods ran are counted once") {
  const auto at = [](int second) { return Time(std::chrono::seconds(second)); };
  CHECK(time_covered({}) == nanoseconds(0));
  CHECK(time_covered({{at(5), at(9)}, {at(1), at(3)}, {at(2), at(6)}}) == std::chrono::seconds(8));
  CHECK(time_covered({{at(1), at(9)}, {at(2), at(3)}}) == std::chrono::seconds(8));
}

TEST_CASE("job view: each state has a name, and is found by its name") {
  for (const State state : all_states()) CHECK(state_of_name(name_of(state)) == state);
}

TEST_CASE("job view: a waiting job has not started, even if its controller has acknowledged it") {
  Json object = job("a", 1);
  object["status"]["startTime"] = "2026-01-01T00:00:02Z";
  CHECK_FALSE(view(object, pod("a", "Pending")).started);
  CHECK_FALSE(view_of_job(object).started);
  CHECK(view(object, pod("a", "Failed")).started);
  object["status"]["ready"] = 1;
  CHECK(view_of_job(object).started);
}

TEST_CASE(
    "job view: the run of an array begins with its first task, and that of another job with its running "
    "pod") {
  const auto since = [](const char* phase, const char* start) {
    Json object = pod("a", phase);
    object["status"]["startTime"] = start;
    return object;
  };
  const Json first = since("Succeeded", "2026-01-01T00:00:02Z"),
             failed = since("Failed", "2026-01-01T00:00:03Z"), now = since("Running", "2026-01-01T00:00:09Z");
  const std::vector<const Json*> pods = {&first, &failed, &now};
  Json array = job("a", 1);
  array["spec"].update({{"parallelism", 1}, {"completions", 4}, {"completionMode", "Indexed"}});
  CHECK(view_of_job(array, pods).started == parse_rfc3339("2026-01-01T00:00:02Z"));
  CHECK(view_of_job(array, std::span(pods).subspan(1)).started == parse_rfc3339("2026-01-01T00:00:03Z"));
  CHECK(view_of_job(job("a", 1), pods).started == parse_rfc3339("2026-01-01T00:00:09Z"));
}

TEST_CASE("job view: the run of a job that has ended began with its first pod, not with its creation") {
  for (const char* condition : {"Complete", "Failed"}) {
    Json object = with_condition(job("a", 1), condition), its = pod("a", "Succeeded");
    object["status"]["startTime"] = "2026-01-01T00:00:01Z";
    its["status"]["startTime"] = "2026-01-01T00:00:09Z";
    CHECK(view(object, its).started == parse_rfc3339("2026-01-01T00:00:09Z"));
    CHECK(view_of_job(object).started == parse_rfc3339("2026-01-01T00:00:01Z"));  // no better time is known
  }
}

TEST_CASE("job view: the state follows from conditions, pods, suspension and cancellation") {
  CHECK(view_of_job(with_condition(job("a", 1), "Complete")).state == State::succeeded);
  CHECK(view_of_job(with_condition(job("a", 1), "Failed")).state == State::failed);
  CHECK(view(job("a", 1), pod("a", "Running")).state == State::running);
  CHECK(view(job("a", 1), pod("a", "Pending")).state == State::waiting);
  Json suspended = job("a", 1);
  suspended["spec"]["suspend"] = true;
  CHECK(view_of_job(suspended).state == State::suspended);
  // A suspended job's pods run until they have stopped.
  CHECK(view(suspended, pod("a", "Running")).state == State::suspended);
  CHECK(view(suspended, pod("a", "Running")).running == 1);
  suspended["metadata"]["annotations"]["kml.dev/cancelled"] = "2026-01-01T00:00:09Z";
  CHECK(view_of_job(suspended).state == State::cancelled);
  CHECK(view_of_job(suspended).finished == parse_rfc3339("2026-01-01T00:00:09Z"));
  // The job's pod is still in its grace period.
  CHECK(view(suspended, pod("a", "Running")).state == State::cancelling);
}

TEST_CASE(
    "job view: a job is on the nodes of its running pods; a finished job was on the nodes of all its pods") {
  const auto on = [](Json pod, const char* node) {
    pod["spec"]["nodeName"] = node;
    return pod;
  };
  const Json goes_on = on(pod("a", "Running"), "gpu-2"), done = on(pod("a", "Succeeded"), "gpu-1");
  const std::vector<const Json*> pods = {&goes_on, &done};
  CHECK(view_of_job(job("a", 2), pods).nodes == std::vector<std::string>{"gpu-2"});
  const Json* const ended[] = {&done};
  CHECK(view_of_job(with_condition(job("a", 2), "Complete", ""), ended).nodes ==
        std::vector<std::string>{"gpu-1"});
}

TEST_CASE(
    "job view: if no further pod will start, the job is not waiting, even if its status does not show the "
    "end yet") {
  Json object = job("a", 1);
  object["spec"].update({{"parallelism", 1}, {"completions", 1}, {"backoffLimit", 0}});
  CHECK(view(object, pod("a", "Pending")).state == State::waiting);
  CHECK(view(object, pod("a", "Succeeded")).state == State::running);
  CHECK(view(object, pod("a", "Succeeded")).cause == "finishing");
  CHECK(view(object, pod("a", "Failed")).state == State::running);
  CHECK(view(object, with_condition(pod("a", "Failed"), "DisruptionTarget")).state == State::waiting);
  object["spec"]["backoffLimit"] = 1;
  CHECK(view(object, pod("a", "Failed")).state == State::waiting);
  object["spec"]["completions"] = 2;
  CHECK(view(object, pod("a", "Succeeded")).state == State::waiting);
}

TEST_CASE("job view: the cause of a job's state comes from its pod, or from the reason of its failure") {
  Json failed_pod = pod("a", "Failed");
  failed_pod["status"]["containerStatuses"] =
      parse_json(R"([{"state": {"terminated": {"exitCode": 137, "reason": "Error"}}}])", "statuses");
  Json failed_job = with_condition(job("a", 1), "Failed", "BackoffLimitExceeded");
  CHECK(view(failed_job, failed_pod).cause == "exit code 137 (as after signal 9)");
  failed_pod["status"]["containerStatuses"][0]["state"]["terminated"]["signal"] = 9;
  CHECK(view(failed_job, failed_pod).cause == "exit code 137 (signal 9)");
  failed_pod["status"]["containerStatuses"][0]["state"]["terminated"]["reason"] = "OOMKilled";
  CHECK(view(failed_job, failed_pod).cause == "out of memory");
  CHECK(view(with_condition(job("a", 1), "Failed", "DeadlineExceeded"), failed_pod).cause ==
        "time limit reached");

  Json waiting_pod = pod("a", "Pending");
  waiting_pod["status"]["conditions"] =
      parse_json(R"([{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: )"
                 R"(3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available."}])",
                 "conditions");
  CHECK(view(job("a", 1), waiting_pod).cause == "not enough GPUs free on 3 nodes");
}

}  // namespace job_view_test
