#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/philox.h"
#include "base/real.h"

namespace trainer {

/// Fills `out` with a normal distribution of mean 0 and deviation `sigma`, truncated at 2 sigma (values
/// beyond are drawn again, as in TensorFlow's truncated_normal). Draws element i with index `first_index +
/// i`.
void truncated_normal(uint64_t seed, uint64_t first_index, Real sigma, std::span<Real> out);

/// Inverted dropout: multiplies each value by 1/keep with probability `keep`, otherwise by 0. `sample` is the
/// position of the training example in the run's stream of examples. keeps() decides, with `keep` rounded to
/// a multiple of 2^-16.
void dropout(uint64_t seed, uint64_t sample, Real keep, std::span<Real> values);

}  // namespace trainer
