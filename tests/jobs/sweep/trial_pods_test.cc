#include "jobs/sweep/trial_pods.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace kml::jobs {

namespace {

struct NoLines final : LogSink {
  void lines(std::span<const LogLine>) override {}
  void event(const LogEvent&) override {}
};

Json pod_in(const char* uid, const char* phase) {
  Json pod = {{"metadata", {{"name", uid}, {"uid", uid}}}, {"status", {{"phase", phase}}}};
  if (phase != std::string_view("Pending")) pod["status"]["startTime"] = "2026-11-20T08:00:00Z";
  return pod;
}

/// Pods of a trial, of which no request is made.
struct Known {
  FakeTransport transport;
  kube::Client client{transport};
  const LogSelection selection;
  NoLines sink;
  LogContext context{client, selection, sink};
  Sources sources{selection};
  std::vector<sweep::TrialReport> reports;
  TrialPods pods{{context, sources, reports, false}, "t", MetricReader("step", {})};
};

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

TEST_CASE("trial pods: where metrics are in termination messages, no log is asked for") {
  Known known;
  auto& [transport, client, selection, sink, context, sources, reports, pods] = known;
  pods.update(ended_pod("step=3 score=0.5\nbye"), {{"kind", "Job"}});
  CHECK(pods.all_read());
  pods.tell_last_messages();
  REQUIRE(!reports.empty());
  CHECK(reports.back().metric == "score");
  CHECK(reports.back().value == 0.5);
  CHECK(reports.back().step == 3);
  CHECK(pods.report(sweep::TrialReport::Kind::ended).last_lines ==
        std::vector<std::string>{"step=3 score=0.5", "bye"});
}

TEST_CASE("trial pods: those that were taken away wait where the job is held, or the next pod does") {
  Known known;
  TrialPods& pods = known.pods;
  const Json job = {{"kind", "Job"}};
  CHECK(pods.wait(false));
  pods.update(pod_in("a", "Pending"), job);
  CHECK(pods.wait(false));
  pods.update(pod_in("a", "Running"), job);
  CHECK(!pods.wait(true));  // it has its grace
  CHECK(known.reports.size() == 1);
  pods.pod_is_gone("a");
  CHECK(!pods.wait(false));  // it may have ended
  CHECK(pods.wait(true));
  CHECK(pods.pods_there().empty());
  pods.update(pod_in("b", "Pending"), job);
  CHECK(pods.wait(false));
  pods.forget_start();
  pods.update(pod_in("b", "Running"), job);
  CHECK(!pods.wait(false));
  CHECK(known.reports.size() == 2);
  pods.update(pod_in("b", "Succeeded"), job);
  CHECK(!pods.wait(false));
}

}  // namespace kml::jobs
