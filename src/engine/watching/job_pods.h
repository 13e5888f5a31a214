#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "engine/watching/metric_reader.h"
#include "engine/watching/watched_pods.h"
#include "job/logs/sources.h"
#include "kml/base/json.h"
#include "kml/engine/journal/job_report.h"

namespace kml::engine {

/// Which of a job's logs are read.
enum class LogUse {
  none,       ///< no logs, because metrics are in termination messages
  of_failed,  ///< the logs of failed pods, to show their last lines
  all,
};

/// The pods of one job. If metrics are in logs, follows the logs of the main containers. Reports the metrics
/// in logs and termination messages. Reports nothing more about a pod once another pod has replaced it.
class JobPods {
 public:
  struct Shared {
    job::LogContext& context;
    job::Sources& sources;
    std::vector<JobReport>& reports;
    LogUse logs = LogUse::all;
    bool each_rank_counts = false;  ///< true for tasks of an Indexed Job; otherwise only rank 0 is read
    std::string container = {};     ///< see WatchOptions::container
    std::map<std::string, std::string> labels = {};
  };

  /// `name` is the job's name in reports. `reader` must not have read anything yet. `shared` must outlive
  /// this object.
  JobPods(const Shared& shared, std::string name, MetricReader reader);

  void update(const Json& pod, const Json& job);
  /// Records a pod's deletion. `pod` may contain only its uid.
  void pod_is_gone(const Json& pod);
  void line(const job::LogLine& line);
  void event(const job::LogEvent& event);

  const WatchedPods& pods() const { return pods_; }
  /// Whether a pod has started since the last forget_start().
  bool has_started() const { return told_running_; }
  /// Makes this object report the next running pod like the first one.
  void forget_start() { told_running_ = false; }
  /// Records that the first running pod will replace a pod that this object has not seen.
  void follow_another() { follows_another_ = true; }
  /// Reports that the job waits, because the node of this pod does not answer.
  void tell_lost_node(const Json& pod);
  /// Whether the job waits for a pod: no pod is at work now, but one will be later. That is the case if no
  /// pod has run yet, if the nodes of all running pods do not answer, or if all earlier pods have ended or
  /// were deleted and another pod exists, or will exist once the job is no longer held.
  bool wait(bool job_is_held) const;
  /// Whether the logs of all the job's pods have been read and reported.
  bool all_read() const;
  /// Reports the metrics in the termination messages of containers that have completed. Call this after all
  /// logs were reported.
  void tell_last_messages();

  /// A report that includes the node of the pod that decides how the job ended, the GPU time of all pods, the
  /// last lines, and whether lines are missing.
  JobReport report(JobReport::Kind kind) const;

 private:
  bool counts(const Json& pod) const;
  void attach(WatchedPod& pod, const Json& job);
  bool reads_log_of(const WatchedPod& pod) const;
  void tell_start(const WatchedPod& pod, bool begun_anew);
  WatchedContainer* container_of(const job::LogSource& source);
  void keep(std::string_view line);
  void tell_metrics(WatchedContainer& container, std::string_view line, Time time, bool is_open);
  bool has_lost_lines() const;

  Shared shared_;
  std::string name_;
  MetricReader reader_;
  WatchedPods pods_;
  std::deque<std::string> last_lines_;
  bool told_running_ = false, follows_another_ = false;
};

}  // namespace kml::engine
