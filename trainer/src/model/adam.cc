#include "model/adam.h"

#include <algorithm>
#include <cmath>

#include "base/vectorize.h"

namespace trainer {

namespace {

constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEpsilon = 1e-8f;

KML_VECTORIZE
void update(const float* __restrict gradient, float* __restrict parameters, float* __restrict first,
            float* __restrict second, size_t count, float rate, float second_scale) {
  for (size_t i = 0; i < count; ++i) {
    first[i] = kBeta1 * first[i] + (1 - kBeta1) * gradient[i];
    second[i] = kBeta2 * second[i] + (1 - kBeta2) * gradient[i] * gradient[i];
    parameters[i] -= rate * first[i] / (std::sqrt(second[i] * second_scale) + kEpsilon);
  }
}

}  // namespace

void Adam::apply(State& state, size_t first, std::span<const float> gradient, Parallel& parallel) const {
  const auto number = static_cast<double>(state.updates);
  const auto rate = static_cast<float>(learning_rate_ / (1 - std::pow(double{kBeta1}, number)));
  const auto second_scale = static_cast<float>(1 / (1 - std::pow(double{kBeta2}, number)));
  constexpr size_t kSlice = 16384;
  parallel.run((gradient.size() + kSlice - 1) / kSlice, [&](size_t slice) {
    const size_t begin = slice * kSlice, count = std::min(kSlice, gradient.size() - begin);
    update(&gradient[begin], &state.parameters[first + begin], &state.first_moment[first + begin],
           &state.second_moment[first + begin], count, rate, second_scale);
  });
}

}  // namespace trainer
