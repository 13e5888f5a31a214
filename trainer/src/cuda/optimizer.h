#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/memory.h"

namespace trainer::cuda {

/// Values that depend on the number of an update. The host computes them in double precision.
using Coefficients = std::array<float, 2>;

/// One update to perform.
struct Job {
  uint64_t first_position;  ///< the batch's position in the run's stream of examples
  Coefficients coefficients;
};

/// A slice of the parameters, with the data that the optimizer needs to update them.
struct DeviceSlice {
  float* parameters;
  std::vector<float*> moments;
  const float* gradient;
  size_t count;
  const Coefficients* coefficients;  ///< the coefficients in GPU memory
  const uint32_t* halted;            ///< a word for each rank; if any is set, nothing is changed
  uint32_t ranks;
};

/// The arithmetic of an Optimizer (model/optimizer.h) on a GPU.
class DeviceOptimizer {
 public:
  virtual ~DeviceOptimizer() = default;
  virtual Coefficients coefficients(uint64_t update, double rate) const = 0;
  virtual bool is_adam() const { return false; }
  virtual void apply(const Stream& stream, const DeviceSlice& slice) const = 0;
};

std::unique_ptr<DeviceOptimizer> make_adam();
std::unique_ptr<DeviceOptimizer> make_sgd(float momentum, bool nesterov);

}  // namespace trainer::cuda
