#pragma once

#include <chrono>

namespace kml::job {

/// The pauses between the requests for one log.
class LogPace {
 public:
  /// The pause before the next request, if a response has ended but the container's end is not yet known. It
  /// grows from this one while responses bring no lines.
  static constexpr std::chrono::milliseconds kFirst{1000};

  /// A run begins, or lines have arrived.
  void start_over() { failures_ = quiet_ends_ = 0; }
  /// A response has ended properly.
  void response_ended() { failures_ = 0; }
  /// Returns how many times a request has failed in a row.
  int count_failure() { return ++failures_; }
  /// `followed`, if the response stayed open as long as the server wanted.
  std::chrono::milliseconds after_end(bool followed);
  std::chrono::milliseconds after_failure() const;

 private:
  int failures_ = 0, quiet_ends_ = 0;
};

}  // namespace kml::job
