#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// A server for trials, which outlives its engines. Jobs run step by step, with one report for each step. It
/// can break at any moment, which a test cannot achieve with a real server.
class ScriptedServer {
 public:
  struct Job {
    TrialJob job;
    std::vector<TrialReport> script;
    size_t told = 0;
  };

  /// The reports of a job; the last one is its end.
  std::function<std::vector<TrialReport>(const TrialJob&)> script;
  std::map<std::string, Job> jobs;
  std::vector<std::string> made;  ///< names of created jobs, in order, each once
  /// after this number of waits, the server breaks, like after a kill or a cut connection
  int waits_left = 1 << 30;
};

inline TrialReport report_of(const TrialJob& job, TrialReport::Kind kind) {
  TrialReport report;
  report.kind = kind;
  report.job = job.name;
  return report;
}

inline TrialReport metric_of(const TrialJob& job, double step, double value, const char* name = "loss") {
  TrialReport report = report_of(job, TrialReport::Kind::metric);
  report.metric = name;
  report.step = step;
  report.value = value;
  return report;
}

inline TrialReport end_of(const TrialJob& job, bool succeeded = true) {
  TrialReport report = report_of(job, TrialReport::Kind::ended);
  report.succeeded = succeeded;
  if (!succeeded) report.cause = "exit code 1";
  report.node = "node1";
  return report;
}

/// The connection of one engine to a ScriptedServer.
class ScriptedRunner final : public Runner {
 public:
  explicit ScriptedRunner(ScriptedServer& server) : server_(server) {}

  void start(const std::vector<TrialJob>& jobs) override {
    for (const TrialJob& job : jobs) {
      if (job.has_ended) continue;
      if (!server_.jobs.contains(job.name)) {
        server_.made.push_back(job.name);
        server_.jobs[job.name] = {job, server_.script(job)};
      }
      server_.jobs[job.name].told = 0;  // the job's log is read again
      mine_.push_back(job.name);
    }
  }
  void stop(const std::string& name) override {
    ScriptedServer::Job& job = server_.jobs.at(name);
    job.script.resize(job.told);
    job.script.push_back(end_of(job.job, false));
  }
  std::vector<TrialReport> wait(std::chrono::milliseconds) override {
    if (server_.waits_left-- <= 0) throw Error(ErrorCode::interrupted, "interrupted");
    std::vector<TrialReport> reports;
    for (const std::string& name : mine_) {
      ScriptedServer::Job& job = server_.jobs.at(name);
      if (job.told < job.script.size()) reports.push_back(job.script[job.told++]);
    }
    return reports;
  }

 private:
  ScriptedServer& server_;
  std::vector<std::string> mine_;
};

}  // namespace kml::sweep
