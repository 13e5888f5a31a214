#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "job/logs/container_state.h"
#include "job/logs/live_tail.h"
#include "job/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Follows one container of one pod through all its runs. A run's log is complete once a request sent after
/// the run's end has ended cleanly. The end of a response alone does not mean that the container has ended,
/// and the pod's status comes from a watch that may be late.
class ContainerLog {
 public:
  /// `facts` has all fields of the source except the run.
  ContainerLog(LogContext& context, LogSource facts);
  ~ContainerLog() { release_slot(); }
  ContainerLog(const ContainerLog&) = delete;

  /// Takes the current state from the pod's status.
  void update(const ContainerState& state);
  /// Reads the log that kml's own server has kept of a pod deleted earlier.
  void read_kept();
  /// The pod no longer exists.
  void pod_is_gone();
  const LogSource& facts() const { return facts_; }
  bool has_lines() const { return last_.has_value(); }
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

  void begin_runs();
  bool next_run(std::string& run, int& restart);
  void begin(const std::string& run, int restart);
  void step();
  void ask();
  void ask_later(std::chrono::milliseconds delay);
  bool run_has_ended() const { return gone_ || state_.run != run_ || state_.ended; }
  void finish_gone();
  void finish_run();
  void close();
  void release_slot();

  void take(std::span<const kube::LogText> lines);
  void show(const kube::LogText& line);
  void doubt();
  void settle_doubt(const http::Response& response, const Error* broken);
  void ended();
  void failed(const Error& error);
  void tell_gap(std::optional<Time> from, std::optional<Time> to, const std::string& why);
  void tell_lost(std::string_view text);
  LogEvent event(LogEvent::Kind kind, const std::string& text) const;

  LogContext& context_;
  const LogSource facts_;
  ContainerState state_;
  bool gone_ = false;

  std::string run_;  ///< containerID of the current or last run
  const LogSource* source_ = nullptr;
  Phase phase_ = Phase::idle;
  std::unique_ptr<kube::LogStream> stream_;  ///< empty while idle
  bool ended_cleanly_ = false;               ///< whether the last response that had lines ended cleanly
  bool has_slot_ = false;
  bool from_start_ = true;  ///< whether to begin where the user asked (since and tail)
  bool until_reached_ = false;
  int failures_ = 0;  ///< failures in a row
  int quiet_ends_ = 0;
  std::string last_trouble_;
  std::optional<Time> last_;      ///< time of this run's last line
  http::SteadyTime begun_{};      ///< when this run's log was first requested
  std::vector<LogLine> lines_;    ///< a member only to reuse its memory
  std::optional<LiveTail> tail_;  ///< set while the run is followed on a terminal that shows live output
  std::unique_ptr<http::Timer> timer_;
  std::string pod_text_;  ///< the pod's status, requested in case of doubt
  std::unique_ptr<http::Stream> pod_request_;
};

}  // namespace kml::job
