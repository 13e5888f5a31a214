#include "model/sgd.h"

#include "base/vectorize.h"

namespace trainer {

namespace {

KML_VECTORIZE
void update(const Real* __restrict gradient, Real* __restrict parameters, Real* __restrict velocity,
            size_t count, Real rate, Real momentum, bool nesterov) {
  for (size_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + gradient[i];
    parameters[i] -= rate * (nesterov ? gradient[i] + momentum * velocity[i] : velocity[i]);
  }
}

}  // namespace

void Sgd::apply(State& state, size_t first, std::span<const Real> gradient, double rate,
                Parallel& parallel) const {
  constexpr size_t kSlice = 16384;
  parallel.run_blocks(gradient.size(), kSlice, [&](size_t begin, size_t end) {
    update(&gradient[begin], &state.parameters[first + begin], &state.moments[0][first + begin], end - begin,
           static_cast<Real>(rate), momentum_, nesterov_);
  });
}

}  // namespace trainer
