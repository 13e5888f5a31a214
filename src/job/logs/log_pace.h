#pragma once

#include <chrono>

namespace kml::job {

/// Computes the pauses between requests for one log.
class LogPace {
 public:
  /// The first pause after a response that has ended although the container may still run. Later pauses are
  /// longer while responses bring no lines.
  static constexpr std::chrono::milliseconds kFirst{1000};

  /// Call this if a run starts or lines have arrived.
  void start_over() { failures_ = quiet_ends_ = 0; }
  /// Call this if a response has ended properly.
  void response_ended() { failures_ = 0; }
  /// Returns how many requests have failed in a row.
  int count_failure() { return ++failures_; }
  /// The pause after a response has ended. `followed` means that the response stayed open for as long as the
  /// server wanted.
  std::chrono::milliseconds after_end(bool followed);
  std::chrono::milliseconds after_failure() const;

 private:
  int failures_ = 0, quiet_ends_ = 0;
};

}  // namespace kml::job
