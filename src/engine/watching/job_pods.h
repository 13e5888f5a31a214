#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/watching/metric_reader.h"
#include "job/logs/container_log.h"
#include "job/logs/sources.h"
#include "kml/base/json.h"
#include "kml/engine/journal/job_report.h"
#include "kml/job/logs/shown_lines.h"

namespace kml::jobs {

/// Which logs of a job are read.
enum class LogUse {
  none,       ///< metrics are in termination messages
  of_failed,  ///< those of failed pods, for their last lines
  all,
};

/// The pods of one job. Follows the logs of their main containers if metrics are in logs, and reports the
/// metrics in logs and termination messages. Reports nothing more about a replaced pod.
class JobPods {
 public:
  struct Shared {
    LogContext& context;
    Sources& sources;
    std::vector<engine::JobReport>& reports;
    LogUse logs = LogUse::all;
    bool each_rank_counts = false;  ///< for tasks of an Indexed Job; otherwise only rank 0 counts
    std::string container = {};     ///< as in WatchOptions
    std::map<std::string, std::string> labels = {};
  };

  /// `name` is the job's name in reports. `reader` must be unused. `shared` must outlive it.
  JobPods(const Shared& shared, std::string name, MetricReader reader);

  void update(const Json& pod, const Json& job);
  /// `pod` may contain only its uid.
  void pod_is_gone(const Json& pod);
  void line(const LogLine& line);
  void event(const LogEvent& event);

  bool has(const std::string& uid) const { return pods_.contains(uid); }
  /// Whether a pod has started since the last forget_start().
  bool has_started() const { return told_running_; }
  /// Lets the next running pod be reported like the first one.
  void forget_start() { told_running_ = false; }
  /// Records that the first running pod replaces a pod that this object has not seen.
  void follow_another() { follows_another_ = true; }
  /// Whether the job waits for a pod: none is running, but one will. This is so if none has run yet. It is
  /// also so if the earlier pods have ended or were deleted, and another pod exists or will exist once the
  /// job is no longer held.
  bool wait(bool job_is_held) const;
  /// Whether all logs of its pods were reported.
  bool all_read() const;
  /// Whether a pod has started and not ended.
  bool any_runs() const;
  /// How many of its pods have ended.
  long long ended() const;
  /// Whether a pod ended by itself, successfully, and was not deleted.
  bool one_has_succeeded() const;
  /// Reports the containers' termination messages, after all their logs.
  void tell_last_messages();

  /// The pods that ran when the job ended, without replaced ones.
  std::vector<const Json*> last_pods() const;
  /// The pods that still exist.
  std::vector<const Json*> pods_there() const;
  /// A report with the last pod's node, the usage of all pods, the last lines, and whether lines are missing.
  engine::JobReport report(engine::JobReport::Kind kind) const;

 private:
  /// A main container from which metrics are read.
  struct Container {
    std::string name;
    MetricReader reader;
    std::unique_ptr<ContainerLog> log = {};  ///< null if its log is not read
    bool has_begun = false, has_gap = false, is_read = false;
    ShownLines shown = {};
    std::string last_shown = {};  ///< the last text of the unfinished line
  };
  struct Pod {
    Json object;
    std::vector<Container> containers = {};
    std::optional<int> rank = {};
    std::optional<Time> started = {};
    bool has_ended = false, has_succeeded = false, is_leaving = false, is_gone = false;
    bool is_replaced = false;
    Time gone = {};  ///< when it was deleted
    Time end(Time now) const;
    /// Also with a start time, while its node pulls the image, or cannot make its container.
    bool is_pending() const;
    bool is_over() const { return is_gone || is_leaving || (has_ended && !has_succeeded); }
  };
  bool counts(const Json& pod) const;
  void attach(Pod& pod, const Json& job);
  bool reads_log_of(const Pod& pod) const;
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
