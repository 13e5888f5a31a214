#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "jobs/logs/container_state.h"
#include "jobs/logs/live_tail.h"
#include "jobs/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::jobs {

/// Follows one container of one pod through all its runs. A run's log is complete when a request that was
/// sent after the run's end has ended cleanly: the end of an answer alone does not tell that the container
/// has ended, and the pod's status comes from a watch that may be late.
class ContainerLog {
 public:
  /// `facts` holds all of the source but the run.
  ContainerLog(LogContext& context, LogSource facts);
  ~ContainerLog() { release_slot(); }
  ContainerLog(const ContainerLog&) = delete;

  /// What the pod's status says now.
  void update(const ContainerState& state);
  /// Reads what kml's own server has kept of a pod that was gone before it was looked for.
  void read_kept();
  /// The pod no longer exists.
  void pod_is_gone();
  const LogSource& facts() const { return facts_; }
  bool has_lines() const { return last_.has_value(); }
  /// For how long the run that is read now has had no line; 0 if it has, and where none is read.
  std::chrono::milliseconds silent() const;
  /// All lines of the last run that is known are out.
  bool done() const { return phase_ == Phase::idle; }

 private:
  enum class Phase {
    idle,          ///< no run is read
    waits,         ///< a timer asks for the log, or the run's end does
    reads,         ///< an answer is coming, to a request that was sent before the run's end was known
    waits_at_end,  ///< a timer asks again: the last request, sent after the run's end, has failed
    reads_to_end,  ///< an answer is coming, to a request that was sent after the run's end
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

  std::string run_;  ///< containerID of the run that is read, or was read last
  const LogSource* source_ = nullptr;
  Phase phase_ = Phase::idle;
  std::unique_ptr<kube::LogStream> stream_;  ///< empty while idle
  bool ended_cleanly_ = false;               ///< the last answer that brought lines has
  bool has_slot_ = false;
  bool from_start_ = true;  ///< of what the user asked for: since and tail count
  bool until_reached_ = false;
  int failures_ = 0;  ///< one after another
  int quiet_ends_ = 0;
  std::string last_trouble_;
  std::optional<Time> last_;      ///< time of this run's last line
  http::SteadyTime begun_{};      ///< when this run's log was first asked for
  std::vector<LogLine> lines_;    ///< only to keep its memory
  std::optional<LiveTail> tail_;  ///< while the run is followed on a terminal that wants it
  std::unique_ptr<http::Timer> timer_;
  std::string pod_text_;  ///< of the pod that a doubt makes it ask for
  std::unique_ptr<http::Stream> pod_request_;
};

}  // namespace kml::jobs
