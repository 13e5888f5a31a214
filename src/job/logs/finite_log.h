#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "job/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

/// The existing log of a run, one buffer at a time. The server cannot send more while lines are waiting here.
/// A server that is busy or fails is asked again for some seconds.
class FiniteLog {
 public:
  /// Receives lines as they arrive, instead of storing them here.
  using Straight = std::function<void(std::span<const kube::LogText>)>;

  FiniteLog(LogContext& context, const LogSource& source, kube::LogOptions options, Straight straight = {});

  /// The first waiting line; nullptr if there is none.
  const LogLine* front() const { return next_ < lines_.size() ? &lines_[next_] : nullptr; }
  /// Views of the line stay valid until go_on().
  LogLine take() { return lines_[next_++]; }
  /// Resumes reading, once all lines were taken.
  void go_on();
  /// Whether the log has ended.
  bool ended() const { return ended_; }
  const std::optional<Error>& failure() const { return failure_; }
  /// Whether this or an earlier process has received a line.
  bool has_lines() const { return has_lines_; }

 private:
  void keep(std::span<const kube::LogText> lines);
  void ask_later(LogContext& context);

  const LogSource& source_;
  std::deque<std::string> buffers_;  ///< the text that the lines' views point to
  std::vector<LogLine> lines_;
  size_t next_ = 0;
  bool ended_ = false, has_lines_ = false;
  int failures_ = 0;  ///< since the last line
  std::optional<Error> failure_;
  kube::LogOptions options_;
  std::unique_ptr<kube::LogStream> stream_;
  std::unique_ptr<http::Timer> again_;
};

}  // namespace kml::job
