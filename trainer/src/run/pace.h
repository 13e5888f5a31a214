#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/model.h"

namespace trainer {

/// The speed of a part of a run. Times are in seconds; images and FLOP include all ranks.
struct Stretch {
  double images_per_second = 0;  ///< training images per second of update time
  double flops = 0;  ///< the operations of updates and evaluations, per second of the whole stretch
  /// the share of the time that was spent in exchange with other ranks
  double exchange_share = 0;
  double update_p50 = 0, update_p99 = 0;  ///< median and 99th percentile of the updates' durations
  std::optional<double> remaining;        ///< the estimated time until the last step, at this speed
};

/// Measures the stretch of the run between two reports. Does not read a clock itself.
class Pace {
 public:
  Pace(Flop flop, double now) : flop_(flop), start_(now) {}

  void updated(uint64_t updates, uint64_t images, double seconds);
  void evaluated(uint64_t images) { evaluated_ += images; }

  /// The time since the stretch started.
  double seconds(double now) const { return now - start_; }
  bool empty() const { return durations_.empty(); }

  /// Ends the stretch. `exchanged` is the number of seconds in exchange since the run started. `steps` is the
  /// number of steps of this stretch, and `steps_left` the number that remains in the run.
  Stretch report(double now, double exchanged, uint64_t steps, uint64_t steps_left);

 private:
  Flop flop_;
  double start_;
  double exchanged_ = 0;
  uint64_t trained_ = 0, evaluated_ = 0;
  double training_ = 0;            ///< seconds
  std::vector<double> durations_;  ///< the durations of the updates
};

}  // namespace trainer
