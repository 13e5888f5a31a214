#include "model/adam.h"

#include <cmath>

#include "base/vectorize.h"

namespace trainer {

namespace {

constexpr auto kBeta1 = static_cast<Real>(0.9), kBeta2 = static_cast<Real>(0.999),
               kEpsilon = static_cast<Real>(1e-8);

KML_VECTORIZE
void update(const Real* __restrict gradient, Real* __restrict parameters, Real* __restrict first,
            Real* __restrict second, size_t count, Real rate, Real second_scale) {
  for (size_t i = 0; i < count; ++i) {
    first[i] = kBeta1 * first[i] + (1 - kBeta1) * gradient[i];
    second[i] = kBeta2 * second[i] + (1 - kBeta2) * gradient[i] * gradient[i];
    parameters[i] -= rate * first[i] / (std::sqrt(second[i] * second_scale) + kEpsilon);
  }
}

}  // namespace

void Adam::apply(State& state, size_t first, std::span<const Real> gradient, double rate,
                 Parallel& parallel) const {
  const auto number = static_cast<double>(state.updates);
  const auto first_rate = static_cast<Real>(rate / (1 - std::pow(double{kBeta1}, number)));
  const auto second_scale = static_cast<Real>(1 / (1 - std::pow(double{kBeta2}, number)));
  constexpr size_t kSlice = 16384;
  parallel.run_blocks(gradient.size(), kSlice, [&](size_t begin, size_t end) {
    update(&gradient[begin], &state.parameters[first + begin], &state.moments[0][first + begin],
           &state.moments[1][first + begin], end - begin, first_rate, second_scale);
  });
}

}  // namespace trainer
