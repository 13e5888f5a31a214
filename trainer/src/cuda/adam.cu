#include <cmath>

#include "cuda/adam.cuh"
#include "cuda/halted.cuh"
#include "cuda/optimizer.h"

namespace trainer::cuda {

namespace {

constexpr unsigned kThreads = 256;

__global__ void update(const float* gradient, float* parameters, float* first, float* second, size_t count,
                       const Coefficients* coefficients, const uint32_t* halted, uint32_t ranks) {
  if (any(halted, ranks)) return;
  const float rate = (*coefficients)[0], second_scale = (*coefficients)[1];
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  move_by_adam(gradient[i], rate, second_scale, parameters[i], first[i], second[i]);
}

/// The optimizer of model/adam.h, on a GPU.
class Adam : public DeviceOptimizer {
 public:
  Coefficients coefficients(uint64_t update, double rate) const override {
    const auto number = static_cast<double>(update);
    return {static_cast<float>(rate / (1 - std::pow(double{kBeta1}, number))),
            static_cast<float>(1 / (1 - std::pow(double{kBeta2}, number)))};
  }

  bool is_adam() const override { return true; }

  void apply(const Stream& stream, const DeviceSlice& slice) const override {
    if (slice.count == 0) return;
    launch(stream, update, blocks_for(slice.count, kThreads), kThreads, slice.gradient, slice.parameters,
           slice.moments[0], slice.moments[1], slice.count, slice.coefficients, slice.halted, slice.ranks);
  }
};

}  // namespace

std::unique_ptr<DeviceOptimizer> make_adam() {
  return std::make_unique<Adam>();
}

}  // namespace trainer::cuda
