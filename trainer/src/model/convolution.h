#pragma once

#include <cstddef>
#include <cstdint>

#include "base/real.h"

namespace trainer {

/// The shape of a stack of planes of the same size. Element (row, column, channel) is at (row * columns +
/// column) * channels + channel.
struct Planes {
  uint32_t rows, columns, channels;

  size_t pixels() const { return size_t{rows} * columns; }
  size_t size() const { return pixels() * channels; }
  /// The shapes after a 3 x 3 convolution without padding, and after a 2 x 2 pooling, which ignores an odd
  /// last row or column.
  Planes convolved(uint32_t to_channels) const { return {rows - 2, columns - 2, to_channels}; }
  Planes pooled() const { return {rows / 2, columns / 2, channels}; }
};

constexpr uint32_t kTaps = 9;  ///< of a 3 x 3 convolution

/// Turns a convolution into a matrix product with patches. `patches` has a row for each pixel of the result.
/// The row is the 3 x 3 neighborhood whose upper left corner is that pixel: kTaps * channels numbers in the
/// order of `planes`.
void unfold(const Real* planes, Planes shape, Real* patches);

/// The backward pass of unfold(): for each element of `planes`, adds up its values in the patches, in the
/// order of the patches.
void fold(const Real* patches, Planes shape, Real* planes);

/// Finds the largest of each 2 x 2 elements of `planes`, and its index in the window: 0 … 3, row by row. If
/// several are equal, the first one is used.
void max_pool(const Real* planes, Planes shape, Real* pooled, uint8_t* which);

/// The backward pass of max_pool(): the element that was the largest gets the gradient, all others get 0.
void max_unpool(const Real* pooled, const uint8_t* which, Planes shape, Real* planes);

}  // namespace trainer
