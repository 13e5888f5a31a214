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

/// Follows one container of a pod through all its runs. The log of a run is complete once a request that was
/// sent after the run's end has ended cleanly. The end of a response is not enough: the container may still
/// run, and the pod's status comes from a watch that may be late.
class ContainerLog {
 public:
  /// `facts` has all fields of the source except the run.
  ContainerLog(LogContext& context, LogSource facts);
  ContainerLog(const ContainerLog&) = delete;

  /// Takes over the container's state from the pod's status.
  void update(const ContainerState& state);
  /// Reads the log of a deleted pod, which the embedded server has kept.
  void read_kept();
  /// Call this once the pod no longer exists.
  void pod_is_gone();
  const LogSource& facts() const { return facts_; }
  bool has_lines() const { return output_.last().has_value(); }
  /// How long the current run has printed nothing; 0 if it has printed a line, or if no run is being read.
  std::chrono::milliseconds silent() const;
  /// Whether all lines of the last known run have been passed on.
  bool done() const { return phase_ == Phase::idle; }

 private:
  enum class Phase {
    idle,   ///< no run is being read
    waits,  ///< waiting for a timer or the run's end before the log is requested
    reads,  ///< reading the response to a request sent before the run's end was known
    /// waiting for a timer before repeating a request that was sent after the run's end
    waits_at_end,
    reads_to_end,  ///< reading the response to a request sent after the run's end
  };

  void step();
  void begin(const ContainerRuns::Run& run);
  void ask();
  void ask_later(std::chrono::milliseconds delay);
  bool may_lack_lines() const;
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
  bool has_looked_twice_ = false;            ///< whether the empty log of this run was read again
  bool from_start_ = true;                   ///< whether to start where the user asked (since and tail)
  std::unique_ptr<kube::LogStream> stream_;  ///< the stream of the log; empty while no run is being read
  std::unique_ptr<http::Timer> timer_;
  PodQuestion question_;  ///< finds out from the server which run a log belongs to, if that is unclear
};

}  // namespace kml::job
