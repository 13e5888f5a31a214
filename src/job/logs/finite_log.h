#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "job/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// The existing log of a run, read one buffer at a time. While lines are waiting here, the server cannot send
/// more. If the server is busy or fails, retries for some seconds.
class FiniteLog {
 public:
  /// Receives the lines as they arrive; they are then not stored here.
  using Straight = std::function<void(std::span<const kube::LogText>)>;

  FiniteLog(LogContext& context, const LogSource& source, kube::LogOptions options, Straight straight = {});

  /// The first waiting line; nullptr if none is waiting.
  const LogLine* front() const { return next_ < lines_.size() ? &lines_[next_] : nullptr; }
  /// Removes the first waiting line. Views of its text stay valid until go_on().
  LogLine take() { return lines_[next_++]; }
  /// Continues reading. Call this once all waiting lines were taken.
  void go_on();
  /// Whether the log has ended.
  bool ended() const { return ended_; }
  const std::optional<Error>& failure() const { return failure_; }
  /// Whether any line has arrived, in this process or an earlier one.
  bool has_lines() const { return has_lines_; }

 private:
  void keep(std::span<const kube::LogText> lines);
  void ask_later(LogContext& context);

  const LogSource& source_;
  std::deque<std::string> buffers_;  ///< the text that the lines' views point to
  std::vector<LogLine> lines_;
  size_t next_ = 0;
  bool ended_ = false, has_lines_ = false;
  int failures_ = 0;  ///< failures since the last line
  std::optional<Error> failure_;
  kube::LogOptions options_;
  std::unique_ptr<kube::LogStream> stream_;
  std::unique_ptr<http::Timer> again_;
};

}  // namespace kml::job
