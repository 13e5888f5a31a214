#include "jobs/sweep/trial_pods.h"

#include <doctest/doctest.h>

#include "support/fake_transport.h"

namespace kml::jobs {

namespace {

struct NoLines final : LogSink {
  void lines(std::span<const LogLine>) override {}
  void event(const LogEvent&) override {}
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
  FakeTransport transport;  // any request would fail
  kube::Client client(transport);
  const LogSelection selection;
  NoLines sink;
  LogContext context{client, selection, sink};
  Sources sources(selection);
  std::vector<sweep::TrialReport> reports;
  TrialPods pods({context, sources, reports, false}, "t", MetricReader("step", {}));
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

}  // namespace kml::jobs
