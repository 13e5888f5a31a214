#include "engine/watching/job_pods.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/fake_transport.h"

namespace kml::engine::job_pods_test {

namespace {

struct NoLines final : job::LogSink {
  void lines(std::span<const job::LogLine>) override {}
  void event(const job::LogEvent&) override {}
};

Json pod_in(const char* uid, const char* phase) {
  Json pod = {{"metadata", {{"name", uid}, {"uid", uid}}}, {"status", {{"phase", phase}}}};
  if (phase != std::string_view("Pending")) pod["status"]["startTime"] = "2026-11-20T08:00:00Z";
  return pod;
}

/// The pods of a job, without any requests.
struct Known {
  FakeTransport transport;
  kube::Client client{transport};
  const job::LogSelection selection;
  NoLines sink;
  job::LogContext context{client, selection, sink};
  job::Sources sources{selection};
  std::vector<engine::JobReport> reports;
  JobPods pods{{context, sources, reports, LogUse::none}, "t", MetricReader("step", {})};
};

/// The pod with a node, so that its main container can write lines.
Json placed(Json pod) {
  pod["spec"] = {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}};
  return pod;
}

job::LogSource main_container_of(const char* uid) {
  job::LogSource source;
  source.pod_uid = uid;
  source.container = "main";
  return source;
}

Json ended_pod(const char* message) {
  return {{"metadata", {{"name", "t-0"}, {"uid", "u"}}},
          {"spec", {{"nodeName", "node1"}, {"containers", {{{"name", "main"}}}}}},
          {"status",
           {{"phase", "Succeeded"},
            {"containerStatuses",
             {{{"name", "main"},
               {"state", {{"terminated", {{"reason", "Completed"}, {"message", message}}}}}}}}}}};
}

}  // namespace

TEST_CASE("job pods: if metrics are in termination messages, no log is requested") {
  Known known;
  auto& [transport, client, selection, sink, context, sources, reports, pods] = known;
  pods.update(ended_pod("step=3 score=0.5\nbye"), {{"kind", "Job"}});
  CHECK(pods.all_read());
  pods.tell_last_messages();
  REQUIRE(!reports.empty());
  CHECK(reports.back().metric == "score");
  CHECK(reports.back().value == 0.5);
  CHECK(reports.back().step == 3);
  CHECK(pods.report(engine::JobReport::Kind::ended).last_lines ==
        std::vector<std::string>{"step=3 score=0.5", "bye"});
}

TEST_CASE("job pods: without metrics, only the log of a failed pod is read") {
  Known known;
  JobPods pods{
      {known.context, known.sources, known.reports, LogUse::of_failed}, "t", MetricReader("step", {})};
  known.transport.stub("GET", "/api/v1/namespaces/team/pods/t-0/log", {.stays_open = true});
  Json pod = ended_pod("");
  pod["metadata"]["namespace"] = "team";
  Json& status = pod["status"]["containerStatuses"][0];
  status["containerID"] = "c";
  const Json ended = status["state"];
  status["state"] = {{"running", {{"startedAt", "2026-11-20T08:00:00Z"}}}};
  pod["status"]["phase"] = "Running";
  pod["status"]["startTime"] = "2026-11-20T08:00:00Z";
  pods.update(pod, {{"kind", "Job"}});
  CHECK(pods.pods().any_runs());
  status["state"] = ended;
  pod["status"]["phase"] = "Succeeded";
  pods.update(pod, {{"kind", "Job"}});
  CHECK(!pods.pods().any_runs());
  CHECK(pods.all_read());
  CHECK(known.transport.requests.empty());
  pod["status"]["phase"] = "Failed";
  pods.update(pod, {{"kind", "Job"}});
  CHECK(!pods.all_read());
  CHECK(known.transport.requests.size() == 1);
}

TEST_CASE(
    "job pods: after its pods were preempted, the job waits if it is suspended, otherwise its next pod "
    "waits") {
  Known known;
  JobPods& pods = known.pods;
  const Json job = {{"kind", "Job"}};
  CHECK(pods.wait(false));
  pods.update(pod_in("a", "Pending"), job);
  CHECK(pods.wait(false));
  pods.update(pod_in("a", "Running"), job);
  CHECK(!pods.wait(true));  // the pod is in its grace period
  CHECK(known.reports.size() == 1);
  pods.pod_is_gone(pod_in("a", "Running"));
  CHECK(!pods.wait(false));  // the pod may have ended
  CHECK(pods.wait(true));
  CHECK(pods.pods().existing().empty());
  pods.update(pod_in("b", "Pending"), job);
  CHECK(pods.wait(false));
  pods.forget_start();
  pods.update(pod_in("b", "Running"), job);
  CHECK(!pods.wait(false));
  CHECK(known.reports.size() == 2);
  pods.update(pod_in("b", "Succeeded"), job);
  CHECK(!pods.wait(false));
}

TEST_CASE("job pods: a pod whose node does not answer waits for the node, unless another pod is at work") {
  Known known;
  JobPods& pods = known.pods;
  const Json job = {{"kind", "Job"}};
  Json pod = placed(pod_in("a", "Running"));
  const auto node_answers = [&](bool answers) {
    pod["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", answers ? "True" : "False"}}});
    pods.update(pod, job);
  };
  SUBCASE("the node stops answering") {
    node_answers(true);
    CHECK(!pods.wait(false));
    node_answers(false);
    CHECK(pods.wait(false));
    CHECK(pods.pods().any_runs());  // so a cancelled job is not over
    pods.tell_lost_node(pod);
    REQUIRE(known.reports.size() == 2);
    CHECK(known.reports[1].kind == JobReport::Kind::waiting);
    CHECK(known.reports[1].cause == "node node1 does not answer");
    node_answers(false);
    CHECK(known.reports.size() == 2);
    node_answers(true);
    REQUIRE(known.reports.size() == 3);
    CHECK(known.reports[2].kind == JobReport::Kind::running);
    CHECK(!known.reports[2].begun_anew);
  }
  SUBCASE("the engine starts after the node has stopped answering") {
    node_answers(false);
    CHECK(known.reports.empty());
    CHECK(pods.wait(false));
  }
  SUBCASE("another pod") {
    node_answers(true);
    node_answers(false);
    pods.update(pod_in("b", "Pending"), job);
    CHECK(pods.wait(false));
    pods.update(pod_in("b", "Running"), job);
    CHECK(!pods.wait(false));
  }
}

TEST_CASE("job pods: a pod that its node has accepted, but whose container cannot start, is not running") {
  Known known;
  Json pod = pod_in("a", "Pending");
  pod["status"]["startTime"] = "2026-11-20T08:00:00Z";
  known.pods.update(pod, {{"kind", "Job"}});
  CHECK(known.reports.empty());
  CHECK(known.pods.wait(false));
  CHECK(!known.pods.pods().any_runs());
  pod["status"]["phase"] = "Running";
  known.pods.update(pod, {{"kind", "Job"}});
  REQUIRE(known.reports.size() == 1);
  CHECK(known.reports[0].kind == engine::JobReport::Kind::running);
}

TEST_CASE(
    "job pods: the values of a replacement pod start from the beginning, and the earlier pod is ignored") {
  Known known;
  JobPods& pods = known.pods;
  const Json job = {{"kind", "Job"}};
  const job::LogSource a = main_container_of("a"), b = main_container_of("b");
  const auto say = [&](const job::LogSource& source) { pods.line({&source, {}, {}, "loss=1"}); };
  const auto last_step = [&] { return known.reports.back().step; };
  Json first = placed(pod_in("a", "Running")), second = placed(pod_in("b", "Running"));
  pods.update(first, job);
  CHECK_FALSE(known.reports.back().begun_anew);
  say(a);
  say(a);
  CHECK(last_step() == 2);
  SUBCASE("failed") {
    first["status"]["phase"] = "Failed";
  }
  SUBCASE("being deleted") {
    first["metadata"]["deletionTimestamp"] = "2026-11-20T09:00:00Z";
  }
  pods.update(first, job);
  second["status"]["startTime"] = "2026-11-20T09:00:00Z";
  pods.update(second, job);
  REQUIRE(known.reports.back().kind == engine::JobReport::Kind::running);
  CHECK(known.reports.back().begun_anew);
  say(b);
  CHECK(last_step() == 1);
  const size_t told = known.reports.size();
  say(a);
  pods.update(first, job);
  pods.update(second, job);
  CHECK(known.reports.size() == told);
}

TEST_CASE("job pods: the log of the next pod is used, even if the pod's phase becomes known later") {
  Known known;
  JobPods& pods = known.pods;
  const Json job = {{"kind", "Job"}};
  pods.update(placed(pod_in("a", "Running")), job);
  pods.update(placed(pod_in("a", "Failed")), job);
  Json next = placed(pod_in("b", "Pending"));
  next["status"]["startTime"] = "2026-11-20T09:00:00Z";
  pods.update(next, job);
  CHECK(pods.wait(false));
  const job::LogSource b = main_container_of("b");
  pods.line({&b, {}, {}, "loss=1"});
  next["status"]["phase"] = "Succeeded";
  pods.update(next, job);
  CHECK(known.reports.back().kind == engine::JobReport::Kind::metric);
}

TEST_CASE("job pods: a progress bar's values are reported at once, however its bytes are split") {
  Known known;
  known.pods.update(placed(pod_in("a", "Running")), {{"kind", "Job"}});
  const job::LogSource a = main_container_of("a");
  const auto say = [&](const std::string& text, bool begins, bool ends) {
    known.pods.line({&a, {}, {}, text, begins, ends});
  };
  const auto values = [&] {
    std::vector<double> all;
    for (const engine::JobReport& report : known.reports)
      if (report.kind == engine::JobReport::Kind::metric) all.push_back(report.value);
    return all;
  };
  say("epoch=1 loss=3\repoch=1 loss=2\repoch=2 lo", true, false);
  CHECK(values().empty());
  say("ss=1\r", false, false);
  CHECK(values() == std::vector<double>{2});
  say("epoch=2 loss=0.5", false, true);
  CHECK(values() == std::vector<double>{2, 0.5});
  say("loss=0.", true, false);
  say("25", false, true);
  CHECK(values().back() == 0.25);
  say("loss=4\r", true, false);
  say("", false, true);
  CHECK(values() == std::vector<double>{2, 0.5, 0.25, 4});
  // The line is too long to be kept; kml reads it again from the next carriage return on.
  say("a" + std::string(40'000, 'x'), true, false);
  say("loss=7", false, true);
  CHECK(values().size() == 4);
  say("a" + std::string(40'000, 'x'), true, false);
  say("y\rloss=0.125", false, true);
  CHECK(values() == std::vector<double>{2, 0.5, 0.25, 4, 0.125});
  CHECK(known.pods.report(engine::JobReport::Kind::gone).last_lines ==
        std::vector<std::string>{"epoch=2 loss=0.5", "loss=0.25", "loss=4", "loss=0.125"});
  // A log may end in the middle of a bar.
  say("loss=8\r", true, false);
  CHECK(values().size() == 5);
  known.pods.event({job::LogEvent::Kind::run_ended, "", &a});
  CHECK(values().back() == 8);
}

TEST_CASE("job pods: only rank 0's values are used, unless each index has a result") {
  for (const bool each_rank_counts : {false, true}) {
    CAPTURE(each_rank_counts);
    Known known;
    JobPods pods{{known.context, known.sources, known.reports, LogUse::none, each_rank_counts},
                 "t",
                 MetricReader("step", {})};
    for (const char* rank : {"0", "1"}) {
      Json pod = placed(pod_in(rank, "Running"));
      pod["metadata"]["labels"] = {{"batch.kubernetes.io/job-completion-index", rank}};
      pods.update(pod, {{"kind", "Job"}, {"spec", {{"completionMode", "Indexed"}}}});
      const job::LogSource source = main_container_of(rank);
      pods.line({&source, {}, {}, "loss=" + std::string(rank)});
    }
    const auto metrics = std::count_if(known.reports.begin(), known.reports.end(), [](const auto& report) {
      return report.kind == engine::JobReport::Kind::metric;
    });
    CHECK(metrics == (each_rank_counts ? 2 : 1));
  }
}

TEST_CASE("job pods: an earlier pod found after its successor is not reported") {
  Known known;
  const Json job = {{"kind", "Job"}};
  Json later = placed(pod_in("b", "Running"));
  later["status"]["startTime"] = "2026-11-20T09:00:00Z";
  known.pods.update(later, job);
  known.pods.update(placed(pod_in("a", "Failed")), job);
  const job::LogSource a = main_container_of("a");
  known.pods.line({&a, {}, {}, "loss=1"});
  CHECK(known.reports.size() == 1);
}

TEST_CASE(
    "job pods: a pod that runs beside another pod, or after that pod has succeeded, does not replace it") {
  Known known;
  const Json job = {{"kind", "Job"}};
  known.pods.update(placed(pod_in("a", "Running")), job);
  SUBCASE("side by side") {}
  SUBCASE("one after another") {
    known.pods.update(placed(pod_in("a", "Succeeded")), job);
  }
  Json other = placed(pod_in("b", "Running"));
  other["status"]["startTime"] = "2026-11-20T09:00:00Z";
  known.pods.update(other, job);
  CHECK(known.reports.size() == 1);
}

TEST_CASE("job pods: when a container is restarted in its pod, its values start from the beginning") {
  Known known;
  known.pods.update(placed(pod_in("a", "Running")), {{"kind", "Job"}});
  const job::LogSource a = main_container_of("a");
  job::LogEvent begun{job::LogEvent::Kind::began, ""};
  begun.source = &a;
  known.pods.event(begun);
  known.pods.line({&a, {}, {}, "loss=1"});
  known.pods.event(begun);
  CHECK(known.reports.back().begun_anew);
  known.pods.line({&a, {}, {}, "loss=1"});
  CHECK(known.reports.back().step == 1);
}

TEST_CASE("job pods: GPU time is counted until the pod's end, or until its deletion") {
  Known known;
  const auto used = [&] { return known.pods.report(engine::JobReport::Kind::gone).gpu_seconds; };
  const Time start = floor<std::chrono::seconds>(system_clock().now()) - std::chrono::hours(1);
  Json pod = placed(pod_in("a", "Running"));
  pod["status"]["startTime"] = rfc3339(start);
  pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "2";
  known.pods.update(pod, {{"kind", "Job"}});
  CHECK(used() >= 7200);
  CHECK(!known.pods.report(engine::JobReport::Kind::gone).job_ended);
  known.pods.pod_is_gone({{"metadata", {{"uid", "a"}}}});
  CHECK(used() >= 7200);
  pod["status"]["containerStatuses"] = {
      {{"name", "main"},
       {"state", {{"terminated", {{"finishedAt", rfc3339(start + std::chrono::seconds(10))}}}}}}};
  known.pods.pod_is_gone(pod);
  CHECK(used() == 20);
  CHECK(known.pods.report(engine::JobReport::Kind::ended).job_ended == start + std::chrono::seconds(10));
}

TEST_CASE("job pods: only pods that ran when the job ended belong to its end, whatever their uids") {
  const auto disrupted_at = [](Json pod, const char* time) {
    pod["status"]["conditions"] = {{{"type", "DisruptionTarget"},
                                    {"status", "True"},
                                    {"reason", "DeletionByTaintManager"},
                                    {"lastTransitionTime", time}}};
    return pod;
  };
  Known known;
  const Json job = {{"kind", "Job"}};
  Json failed = placed(pod_in("a", "Failed"));
  failed["status"]["startTime"] = "2026-11-20T09:00:00Z";
  failed["spec"]["nodeName"] = "node2";
  SUBCASE("an earlier disruption belongs to an earlier attempt") {
    known.pods.update(disrupted_at(placed(pod_in("b", "Failed")), "2026-11-20T09:00:00Z"), job);
    known.pods.update(failed, job);
    CHECK(known.pods.pods().last().size() == 1);
  }
  SUBCASE("a disruption while the last attempt ran belongs to the job's end") {
    known.pods.update(disrupted_at(placed(pod_in("b", "Failed")), "2026-11-20T09:00:01Z"), job);
    known.pods.update(failed, job);
    CHECK(known.pods.pods().last().size() == 2);
  }
  CHECK(known.pods.report(engine::JobReport::Kind::ended).node == "node2");
}

}  // namespace kml::engine::job_pods_test
