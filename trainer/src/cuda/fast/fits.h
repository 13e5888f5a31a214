#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/precision.h"

namespace trainer::cuda {

/// The number of classes for which the fast kernels are compiled.
constexpr uint32_t kFastClasses = 10;

/// Whether the fast kernels can train such a multilayer perceptron. They load 16 pixels and 4 hidden values
/// at a time, and a block computes the last layer of a row.
constexpr bool fast_mlp_fits(uint64_t pixels, uint32_t hidden, uint32_t classes) {
  return pixels % 16 == 0 && hidden % 4 == 0 && hidden <= 1024 && classes == kFastClasses;
}

/// The side of the images for which the fast kernels of the cnn are compiled.
constexpr uint32_t kFastSide = 28;

/// The most shared memory that a block of the cnn's fast kernels uses, in bytes. GPUs of compute capability
/// 8.6, 8.9 and 12.0 have less, 99 KiB.
constexpr size_t kFastCnnShared = size_t{161} << 10;

/// Whether the fast kernels can train such a cnn on a GPU with that much shared memory. They load four hidden
/// values at a time.
constexpr bool fast_cnn_fits(uint32_t rows, uint32_t columns, uint32_t hidden, Precision precision) {
  return rows == kFastSide && columns == kFastSide && hidden % 4 == 0 && precision == Precision::bf16;
}

}  // namespace trainer::cuda
