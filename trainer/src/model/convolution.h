#pragma once

#include <cstddef>
#include <cstdint>

#include "base/real.h"

namespace trainer {

/// A stack of equally large planes: element (row, column, channel) is at (row * columns + column) * channels
/// + channel.
struct Planes {
  uint32_t rows, columns, channels;

  size_t pixels() const { return size_t{rows} * columns; }
  size_t size() const { return pixels() * channels; }
  /// What a 3 x 3 convolution without padding leaves, and a 2 x 2 pooling (an odd last row or column is left
  /// out).
  Planes convolved(uint32_t to_channels) const { return {rows - 2, columns - 2, to_channels}; }
  Planes pooled() const { return {rows / 2, columns / 2, channels}; }
};

constexpr uint32_t kTaps = 9;  ///< of a 3 x 3 convolution

/// A convolution becomes a matrix product with the patches: row (row, column) of `patches` has the 3 x 3
/// neighbourhood whose upper left corner that is: kTaps * channels numbers, in the order of `planes`.
void unfold(const Real* planes, Planes shape, Real* patches);

/// Backward: adds up what the patches say of each element of `planes`, in the order of the patches.
void fold(const Real* patches, Planes shape, Real* planes);

/// The largest of each 2 x 2 elements of `planes`, and which of them it was (the first of equals): 0 … 3, row
/// by row.
void max_pool(const Real* planes, Planes shape, Real* pooled, uint8_t* which);

/// Backward: each gradient goes to the element that was the largest, all others get 0.
void max_unpool(const Real* pooled, const uint8_t* which, Planes shape, Real* planes);

}  // namespace trainer
