#pragma once

#include <cstdint>

namespace trainer::cuda {

/// The number of classes that the fast kernels are compiled for.
constexpr uint32_t kFastClasses = 10;

/// Whether the fast kernels can train such a multilayer perceptron: they load 16 pixels, and 4 hidden values,
/// at a time, and a block computes the last layer of a row.
constexpr bool fast_mlp_fits(uint64_t pixels, uint32_t hidden, uint32_t classes) {
  return pixels % 16 == 0 && hidden % 4 == 0 && hidden <= 1024 && classes == kFastClasses;
}

}  // namespace trainer::cuda
