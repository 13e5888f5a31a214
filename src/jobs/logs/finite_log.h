#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "jobs/logs/log_context.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::jobs {

/// What a run's log holds now, a buffer at a time: while lines wait here the server is held back.
class FiniteLog {
 public:
  /// Called with the lines as they come, in place of keeping them.
  using Straight = std::function<void(std::span<const kube::LogText>)>;

  FiniteLog(LogContext& context, const LogSource& source, kube::LogOptions options, Straight straight = {});

  /// The first line that waits; nullptr if none does.
  const LogLine* front() const { return next_ < lines_.size() ? &lines_[next_] : nullptr; }
  /// Views of the line stay valid until go_on().
  LogLine take() { return lines_[next_++]; }
  /// Lets more come, once all lines were taken.
  void go_on();
  /// Nothing more comes.
  bool ended() const { return ended_; }
  const std::optional<Error>& failure() const { return failure_; }
  /// A line came, or had come to an earlier process.
  bool has_lines() const { return has_lines_; }

 private:
  void keep(std::span<const kube::LogText> lines);

  const LogSource& source_;
  std::deque<std::string> buffers_;  ///< what the lines' views show
  std::vector<LogLine> lines_;
  size_t next_ = 0;
  bool ended_ = false, has_lines_ = false;
  std::optional<Error> failure_;
  std::unique_ptr<kube::LogStream> stream_;
};

}  // namespace kml::jobs
