#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/model.h"

namespace trainer {

/// How fast a stretch of a run went. Times in seconds; images and FLOP are those of all ranks.
struct Stretch {
  double images_per_second = 0;  ///< trained on, by the time of the updates alone
  double flops = 0;  ///< floating-point operations of updates and evaluations, a second of the stretch
  double exchange_share = 0;              ///< of the stretch: in exchange with other ranks
  double update_p50 = 0, update_p99 = 0;  ///< half of the updates took no longer; 99 of 100
  std::optional<double> remaining;        ///< until the last step, at this pace
};

/// Measures the stretches between its reports. It reads no clock.
class Pace {
 public:
  Pace(Flop flop, double now) : flop_(flop), start_(now) {}

  void updated(uint64_t updates, uint64_t images, double seconds);
  void evaluated(uint64_t images) { evaluated_ += images; }

  /// How long ago the stretch began.
  double seconds(double now) const { return now - start_; }
  bool empty() const { return durations_.empty(); }

  /// Ends the stretch. `exchanged`: seconds in exchange since the run began; `steps`, `steps_left`: those of
  /// the stretch, and of the run after it.
  Stretch report(double now, double exchanged, uint64_t steps, uint64_t steps_left);

 private:
  Flop flop_;
  double start_;
  double exchanged_ = 0;
  uint64_t trained_ = 0, evaluated_ = 0;
  double training_ = 0;            ///< seconds
  std::vector<double> durations_;  ///< of the updates
};

}  // namespace trainer
