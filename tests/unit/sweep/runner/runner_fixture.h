#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/environment.h"
#include "support/fake_transport.h"
#include "support/temporary_folder.h"
#include "sweep/runner/sweep_runner.h"

namespace kml::sweep {

/// A server with these jobs and pods of sweep "s" in namespace "team". Its watches report no changes.
struct RunnerFixture {
  void serve(const Json& job, const std::vector<Json>& served_pods) { serve(std::vector{job}, served_pods); }
  void serve(const std::vector<Json>& served_jobs, const std::vector<Json>& served_pods) {
    transport.answer("GET", jobs, list_of(served_jobs));
    transport.answer("GET", pods, list_of(served_pods));
    transport.stub("GET", jobs, {.stays_open = true});
    transport.stub("GET", pods, {.stays_open = true});
  }

  /// Makes the server fail for longer than the client repeats a request.
  void is_unwell(const std::string& method, const std::string& path) {
    for (int i = 0; i < 6; ++i)
      transport.answer(method, path, {{"kind", "Status"}, {"message", "etcdserver: leader changed"}}, 503);
  }

  static Json list_of(std::vector<Json> items) {
    return {{"metadata", {{"resourceVersion", "1"}}}, {"items", std::move(items)}};
  }

  static SweepRunnerOptions options() {
    SweepRunnerOptions options;
    options.sweep = "s";
    options.submit_id = "id";
    options.namespace_name = "team";
    options.collector.reads_message = true;
    return options;
  }

  /// The reports about these trials within that many seconds. After five seconds, the runner checks why they
  /// wait.
  static std::vector<sweep::TrialReport> told_of(sweep::Runner& runner, const std::vector<std::string>& names,
                                                 int seconds = 5) {
    std::vector<sweep::TrialJob> trials(names.size());
    for (size_t i = 0; i < names.size(); ++i) trials[i].name = names[i];
    runner.start(trials);
    std::vector<sweep::TrialReport> told;
    for (int i = 0; i < seconds; ++i)
      for (sweep::TrialReport& report : runner.wait(std::chrono::seconds(1)))
        told.push_back(std::move(report));
    return told;
  }

  static long successes(const std::vector<sweep::TrialReport>& told) {
    return std::count_if(told.begin(), told.end(), [](const sweep::TrialReport& report) {
      return report.kind == sweep::TrialReport::Kind::ended && report.succeeded;
    });
  }

  const std::string jobs = "/apis/batch/v1/namespaces/team/jobs", pods = "/api/v1/namespaces/team/pods";
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  const job::Interrupt interrupt;
  const TemporaryFolder
      state;  ///< the folder for notes about the objects that an indexed sweep creates before its Job
  const EnvironmentVariable variable{"KML_STATE_DIR", state.path().c_str()};
};

}  // namespace kml::sweep
