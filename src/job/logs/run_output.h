#pragma once

#include <optional>
#include <span>
#include <vector>

#include "job/logs/live_tail.h"
#include "job/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// The lines of a container's runs on their way to the sink, up to the time until which the user wants them.
class RunOutput {
 public:
  explicit RunOutput(LogContext& context) : context_(context) {}

  /// A run begins to be read.
  void begin(const LogSource& run);
  /// A line of it that an earlier process has passed on.
  void recall(Time time) { last_ = time; }
  void take(std::span<const kube::LogText> lines);
  void show_unfinished(const kube::LogText& line);
  /// Shows on the terminal what the container writes before it is a line.
  void show_live();
  /// A response has ended properly.
  void response_ended() { is_complete_ = true; }
  /// The run was read.
  void end();

  /// Whether the last response that had lines ended properly.
  bool is_complete() const { return is_complete_; }
  /// Whether a line was later than what the user wants.
  bool has_reached_end() const { return has_reached_end_; }
  /// The time of the run's last line.
  const std::optional<Time>& last() const { return last_; }
  /// How long the run has been read.
  std::chrono::milliseconds age() const;

 private:
  LogContext& context_;
  const LogSource* run_ = nullptr;
  http::SteadyTime begun_{};
  std::optional<Time> last_;
  bool is_complete_ = false, has_reached_end_ = false;
  std::optional<LiveTail> tail_;
  std::vector<LogLine> lines_;  ///< a member only to reuse its memory
};

}  // namespace kml::job
