#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/logs/container_log.h"
#include "jobs/logs/sources.h"
#include "jobs/watching/metric_reader.h"
#include "kml/core/json.h"
#include "kml/engine/job_report.h"
#include "kml/jobs/logs/shown_lines.h"

namespace kml::jobs {

/// Whether a pod that names the job can be its own: the pods of an earlier job of that name outlive it by
/// their grace. Where another object stands between them, as with a JobSet, the older pod is of an older job.
bool may_own(const Json& job, const Json& pod);

/// The pods of one job: follows the logs of their main containers, where metrics are in logs, and
/// tells the metrics in them and in the containers' termination messages. Of a pod that another one took the
/// place of nothing more is told.
class JobPods {
 public:
  struct Shared {
    LogContext& context;
    Sources& sources;
    std::vector<engine::JobReport>& reports;
    bool reads_logs = true;         ///< else termination messages alone
    bool each_rank_counts = false;  ///< each task of an Indexed Job; else only rank 0 does
  };

  /// `name` is what reports call the job; `reader` has read nothing. What is shared must outlive it.
  JobPods(const Shared& shared, std::string name, MetricReader reader);

  void update(const Json& pod, const Json& job);
  /// `pod` may have no more than its uid.
  void pod_is_gone(const Json& pod);
  void line(const LogLine& line);
  void event(const LogEvent& event);

  bool has(const std::string& uid) const { return pods_.contains(uid); }
  /// One of them has run, and forget_start() was not called since.
  bool has_started() const { return told_running_; }
  /// The next one that runs is told as the first was.
  void forget_start() { told_running_ = false; }
  /// The first one that runs follows one that is not known here.
  void follow_another() { follows_another_ = true; }
  /// None runs, and one will: none has, or those that had are gone or have ended and another one is there, or
  /// will be once the job is no longer held.
  bool wait(bool job_is_held) const;
  /// Whether all that its pods have logged was reported.
  bool all_read() const;
  /// How many of its pods have ended.
  long long ended() const;
  /// Whether it ended by itself and was not deleted.
  bool one_has_succeeded() const;
  /// What containers left in their termination messages, after all that they logged.
  void tell_last_messages();

  /// Those that ran when the job ended: without what it has put others in the place of.
  std::vector<const Json*> last_pods() const;
  /// Without those that are gone.
  std::vector<const Json*> pods_there() const;
  /// Where the last of them ran, what all used, the last lines, and whether lines are missing.
  engine::JobReport report(engine::JobReport::Kind kind) const;

 private:
  /// A main container whose values count.
  struct Container {
    std::string name;
    MetricReader reader;
    std::unique_ptr<ContainerLog> log = {};  ///< none where logs are not read
    bool has_begun = false, has_gap = false, is_read = false;
    ShownLines shown = {};
    std::string last_shown = {};  ///< of the line that has not ended
  };
  struct Pod {
    Json object;
    std::vector<Container> containers = {};
    std::optional<int> rank = {};
    std::optional<Time> started = {};
    bool has_ended = false, has_succeeded = false, is_leaving = false, is_gone = false;
    bool is_replaced = false;
    Time gone = {};  ///< where it is gone
    Time end(Time now) const;
    bool is_over() const { return is_gone || is_leaving || (has_ended && !has_succeeded); }
  };
  void attach(Pod& pod, const Json& job);
  bool take_place(Pod& pod);
  void tell_start(const Pod& pod, bool begun_anew);
  Container* container_of(const LogSource& source);
  void keep(std::string_view line);
  void tell_metrics(Container& container, std::string_view line, Time time, bool is_open);
  bool has_lost_lines() const;
  const Pod* judged() const;

  Shared shared_;
  std::string name_;
  MetricReader reader_;
  std::map<std::string, Pod> pods_;  ///< by uid
  std::deque<std::string> last_lines_;
  bool told_running_ = false, follows_another_ = false;
};

}  // namespace kml::jobs
