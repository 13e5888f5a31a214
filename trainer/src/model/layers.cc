#include "model/layers.h"

#include <algorithm>
#include <cmath>

#include "base/vectorize.h"

namespace trainer {

KML_VECTORIZE
void add_bias_and_rectify(Real* values, const Real* bias, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) values[i] = std::max(values[i] + bias[i], Real{0});
}

KML_VECTORIZE
void backward_activation(Real* gradient, const Real* values, Real scale, Real* bias_gradient,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    gradient[i] = values[i] > 0 ? gradient[i] * scale : Real{0};
    bias_gradient[i] += gradient[i];
  }
}

KML_VECTORIZE
void add(Real* sum, const Real* values, size_t count) {
  for (size_t i = 0; i < count; ++i) sum[i] += values[i];
}

double softmax_gradient(std::span<Real> logits, uint8_t label, uint32_t batch) {
  const Real largest = *std::max_element(logits.begin(), logits.end());
  double exponentials[256], sum = 0;  // 256 classes at most, because labels are bytes
  for (size_t c = 0; c < logits.size(); ++c) {
    exponentials[c] = std::exp(double{logits[c]} - largest);
    sum += exponentials[c];
  }
  const double loss = std::log(sum) - (double{logits[label]} - largest);
  for (size_t c = 0; c < logits.size(); ++c) {
    logits[c] = static_cast<Real>((exponentials[c] / sum - (c == label ? 1 : 0)) / batch);
  }
  return loss;
}

bool is_right(std::span<const Real> logits, uint8_t label) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin() == label;
}

}  // namespace trainer
