#include "run/pace.h"

#include <algorithm>

namespace trainer {

namespace {

/// The value at the position `share` of the sorted values, from the smallest (0) to the largest (1).
double percentile(std::vector<double>& values, double share) {
  const auto place = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

}  // namespace

void Pace::updated(uint64_t updates, uint64_t images, double seconds) {
  trained_ += images;
  training_ += seconds;
  durations_.insert(durations_.end(), updates, seconds / static_cast<double>(updates));
}

Stretch Pace::report(double now, double exchanged, uint64_t steps, uint64_t steps_left) {
  const double seconds = now - start_;
  Stretch stretch;
  if (training_ > 0) stretch.images_per_second = static_cast<double>(trained_) / training_;
  if (seconds > 0) {
    stretch.flops = (static_cast<double>(trained_) * flop_.training +
                     static_cast<double>(evaluated_) * flop_.evaluation) /
                    seconds;
    stretch.exchange_share = (exchanged - exchanged_) / seconds;
  }
  if (!durations_.empty()) {
    stretch.update_p50 = percentile(durations_, 0.5);
    stretch.update_p99 = percentile(durations_, 0.99);
  }
  if (steps > 0) stretch.remaining = seconds / static_cast<double>(steps) * static_cast<double>(steps_left);
  start_ = now;
  exchanged_ = exchanged;
  trained_ = evaluated_ = 0;
  training_ = 0;
  durations_.clear();
  return stretch;
}

}  // namespace trainer
