#pragma once

#include <memory>
#include <span>

#include "job/logs/container_runs.h"
#include "job/logs/log_context.h"
#include "job/logs/log_pace.h"
#include "job/logs/log_report.h"
#include "job/logs/pod_question.h"
#include "job/logs/run_output.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Follows one container of one pod through all its runs. A run's log is complete once a request sent after
/// the run's end has ended cleanly. The end of a response alone does not mean that the container has ended,
/// and the pod's status comes from a watch that may be late.
class ContainerLog {
 public:
  /// `facts` has all fields of the source except the run.
  ContainerLog(LogContext& context, LogSource facts);
  ContainerLog(const ContainerLog&) = delete;

  /// Takes the current state from the pod's status.
  void update(const ContainerState& state);
  /// Reads the log that kml's own server has kept of a pod deleted earlier.
  void read_kept();
  /// The pod no longer exists.
  void pod_is_gone();
  const LogSource& facts() const { return facts_; }
  bool has_lines() const { return output_.last().has_value(); }
  /// How long the current run has been silent; 0 if it has written a line, or if no run is being read.
  std::chrono::milliseconds silent() const;
  /// Whether all lines of the last known run were passed on.
  bool done() const { return phase_ == Phase::idle; }

 private:
  enum class Phase {
    idle,          ///< no run is being read
    waits,         ///< until a timer or the run's end triggers a request for the log
    reads,         ///< reads a response to a request that was sent before the run's end was known
    waits_at_end,  ///< until a timer repeats the failed request that was sent after the run's end
    reads_to_end,  ///< reads a response to a request that was sent after the run's end
  };

  void step();
  void begin(const ContainerRuns::Run& run);
  void ask();
  void ask_later(std::chrono::milliseconds delay);
  void finish_gone();
  void finish_run();
  void close();

  void take(std::span<const kube::LogText> lines);
  void settle_doubt(int http_status, const Json& pod);
  void ended();
  void failed(const Error& error);

  LogContext& context_;
  const LogSource facts_;
  ContainerRuns runs_;
  LogReport report_;
  RunOutput output_;
  NodeSlot slot_;
  LogPace pace_;
  Phase phase_ = Phase::idle;
  bool from_start_ = true;                   ///< whether to begin where the user asked (since and tail)
  std::unique_ptr<kube::LogStream> stream_;  ///< empty while idle
  std::unique_ptr<http::Timer> timer_;
  PodQuestion question_;  ///< in case of doubt
};

}  // namespace kml::job
