#include "cuda/halted.cuh"
#include "cuda/optimizer.h"

namespace trainer::cuda {

namespace {

constexpr unsigned kThreads = 256;

struct Momentum {
  float momentum;
  bool nesterov;
};

__global__ void update(const float* gradient, float* parameters, float* velocity, size_t count, Momentum m,
                       const Coefficients* coefficients, const uint32_t* halted, uint32_t ranks) {
  if (any(halted, ranks)) return;
  const float rate = (*coefficients)[0];
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float g = gradient[i], v = m.momentum * velocity[i] + g;
  velocity[i] = v;
  parameters[i] -= rate * (m.nesterov ? g + m.momentum * v : v);
}

/// The optimizer of model/sgd.h, on a GPU.
class Sgd : public DeviceOptimizer {
 public:
  explicit Sgd(Momentum momentum) : momentum_(momentum) {}

  Coefficients coefficients(uint64_t, double rate) const override { return {static_cast<float>(rate), 0}; }

  void apply(const Stream& stream, const DeviceSlice& slice) const override {
    if (slice.count == 0) return;
    launch(stream, update, blocks_for(slice.count, kThreads), kThreads, slice.gradient, slice.parameters,
           slice.moments[0], slice.count, momentum_, slice.coefficients, slice.halted, slice.ranks);
  }

 private:
  Momentum momentum_;
};

}  // namespace

std::unique_ptr<DeviceOptimizer> make_sgd(float momentum, bool nesterov) {
  return std::make_unique<Sgd>(Momentum{momentum, nesterov});
}

}  // namespace trainer::cuda
