#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "base/philox.h"
#include "run/training.h"
#include "trainer/threads_communicator.h"

/// Short trainings for tests of the GPU part.
namespace trainer {

inline Part part(uint32_t count, uint32_t side, uint64_t seed) {
  Part p;
  p.images.count = p.labels.count = count;
  p.images.rows = p.images.columns = side;
  p.images.file.resize(16);
  p.labels.file.resize(8);
  for (uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<uint8_t>(draw(seed, Purpose::shuffle, i, 0)[0] % 10);
    p.labels.file.push_back(label);
    for (uint32_t pixel = 0; pixel < side * side;
         ++pixel) {  // most pixels are black, and the others depend on the label
      const uint32_t bits = draw(seed, Purpose::shuffle, i, pixel + 1)[0];
      p.images.file.push_back(pixel % 10 == label ? 255 : bits % 4 == 0 ? bits >> 24 : 0);
    }
  }
  return p;
}

/// A data set of square images. The kernels of cuda/fast need a side whose square is a multiple of 16.
inline Dataset small_data(uint32_t side) {
  Dataset d;
  d.train = part(130, side, 1);
  d.test = part(97, side, 2);
  d.classes = 10;
  return d;
}

inline Options options(Device device) {
  Options o;
  o.device = device;
  o.block_shared = static_cast<size_t>(emulator::block_shared);
  o.hidden = 45;
  o.batch_size = 43;  // gives shards of 5 and 6 rows, and the end of an epoch within a batch
  o.seed = 7;
  return o;
}

/// Changes a property of the emulated GPU for the lifetime of this object.
class Changed {
 public:
  Changed(std::atomic<int>& property, int value) : property_(property), before_(property.exchange(value)) {}
  ~Changed() { property_ = before_; }
  Changed(const Changed&) = delete;

 private:
  std::atomic<int>& property_;
  int before_;
};

struct Result {
  std::vector<double> losses;
  uint32_t correct = 0;
  State state;
};

/// Performs `updates` updates and an evaluation. Returns the result of rank 0 of `world` ranks.
inline Result train_on(const Dataset& data, const Options& o, uint64_t updates, uint32_t world = 1) {
  Result result;
  as_ranks(world, [&](Communicator& communicator) {
    Parallel parallel(1);
    const auto training = make_training(o, data, parallel, communicator, [] { return 0; });
    if (communicator.rank() == 0) training->begin();
    training->share_state();
    std::vector<double> losses;
    while (training->state.updates < updates) {
      const auto some = training->update(std::min<uint64_t>(9, updates - training->state.updates));
      losses.insert(losses.end(), some.begin(), some.end());
    }
    const uint32_t correct = training->count_correct();
    training->collect_state();
    if (communicator.rank() == 0) result = {losses, correct, training->state};
  });
  return result;
}

inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - b[i]));
  return most;
}

}  // namespace trainer
