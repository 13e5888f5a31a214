#pragma once

#include <optional>
#include <span>
#include <vector>

#include "job/logs/live_tail.h"
#include "job/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// Passes the lines of a container's runs to the sink, up to the time at which the user wants them to end.
class RunOutput {
 public:
  explicit RunOutput(LogContext& context) : context_(context) {}

  /// Call this before a run is read.
  void begin(const LogSource& run);
  /// Sets the time of the run's last line that an earlier process has passed on.
  void recall(Time time) { last_ = time; }
  void take(std::span<const kube::LogText> lines);
  void show_unfinished(const kube::LogText& line);
  /// Shows incomplete lines of the container on the terminal.
  void show_live();
  /// Call this if a response has ended properly.
  void response_ended() { is_complete_ = true; }
  /// Call this when the run has been read.
  void end();

  /// Whether a response has ended properly since the last lines.
  bool is_complete() const { return is_complete_; }
  /// Whether a line was later than the time that the user set as the end.
  bool has_reached_end() const { return has_reached_end_; }
  /// The time of the run's last line.
  const std::optional<Time>& last() const { return last_; }
  /// For how long this run has been read.
  std::chrono::milliseconds age() const;

 private:
  LogContext& context_;
  const LogSource* run_ = nullptr;
  http::SteadyTime begun_{};
  std::optional<Time> last_;
  bool is_complete_ = false, has_reached_end_ = false;
  std::optional<LiveTail> tail_;
  std::vector<LogLine> lines_;  ///< this is a member only so that its memory is reused
};

}  // namespace kml::job
