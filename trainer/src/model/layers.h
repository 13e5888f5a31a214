#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/real.h"

namespace trainer {

/// values = max(values + bias, 0).
void add_bias_and_rectify(Real* values, const Real* bias, uint32_t count);

/// Passes the gradient of a layer's values back through dropout and ReLU. `values` is 0 where dropout or ReLU
/// blocked a unit; `scale` is the scale of the dropout. Adds the result to the gradient of the bias.
void backward_activation(Real* gradient, const Real* values, Real scale, Real* bias_gradient, uint32_t count);

/// sum += values.
void add(Real* sum, const Real* values, size_t count);

/// Replaces an example's logits by the gradient of its cross-entropy, divided by `batch`. Returns the loss.
double softmax_gradient(std::span<Real> logits, uint8_t label, uint32_t batch);

/// Whether the label's logit is the largest, or the first of several equally large ones.
bool is_right(std::span<const Real> logits, uint8_t label);

}  // namespace trainer
