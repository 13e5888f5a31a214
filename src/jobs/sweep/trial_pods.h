#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jobs/logs/container_log.h"
#include "jobs/logs/sources.h"
#include "jobs/sweep/metric_reader.h"
#include "kml/sweep/runner.h"

namespace kml::jobs {

/// The pods of one trial's job: follows the logs of their main containers, where metrics are in logs, and
/// tells the metrics in them and in the containers' termination messages.
class TrialPods {
 public:
  struct Shared {
    LogContext& context;
    Sources& sources;
    std::vector<sweep::TrialReport>& reports;
    bool reads_logs = true;  ///< else termination messages alone
  };

  /// `name` is what reports call the job. What is shared must outlive it.
  TrialPods(const Shared& shared, std::string name, MetricReader reader);

  void update(const Json& pod, const Json& job);
  void pod_is_gone(const std::string& uid);
  void line(const LogLine& line);

  /// One of them has run, and forget_start() was not called since.
  bool has_started() const { return told_running_; }
  /// The next one that runs is told as the first was.
  void forget_start() { told_running_ = false; }
  /// None runs, and one will: none has, or those that had are gone or have ended and another one is there, or
  /// will be once the job is no longer held.
  bool wait(bool job_is_held) const;
  /// All that its pods have logged was told.
  bool all_read() const;
  /// How many of its pods have ended.
  long long ended() const;
  /// By itself: nobody had deleted it.
  bool one_has_succeeded() const;
  /// What containers left in their termination messages, after all that they logged.
  void tell_last_messages();

  std::vector<const Json*> pods() const;
  /// Without those that are gone.
  std::vector<const Json*> pods_there() const;
  /// Of a job that has ended: where it ran, what it used, and its last lines.
  sweep::TrialReport report(sweep::TrialReport::Kind kind) const;

 private:
  struct Pod {
    Json object;
    std::vector<std::unique_ptr<ContainerLog>> logs;
    std::vector<std::string> containers;
    bool has_started = false, has_ended = false, has_succeeded = false, is_gone = false;
  };
  void attach(Pod& pod, const Json& job);
  void keep(std::string_view line);
  void tell_metrics(std::string_view line, Time time);

  Shared shared_;
  std::string name_;
  MetricReader reader_;
  std::map<std::string, Pod> pods_;  ///< by uid
  std::deque<std::string> last_lines_;
  bool told_running_ = false;
};

}  // namespace kml::jobs
