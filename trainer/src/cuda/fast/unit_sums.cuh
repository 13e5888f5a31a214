#pragma once

#include "cuda/fast/mlp_persistent.h"
#include "cuda/fast/warp_tile.cuh"

/// A warp's sums of the products of images (as bytes) and the weights of four hidden units. A product by
/// tensor cores has eight columns, so columns 4 to 7 repeat the four units. Lane 4 g + t owns the sums of
/// units 2 (t % 2) and 2 (t % 2) + 1, over half of the rows: the first half if t / 2 is 0, otherwise the
/// second half.
namespace trainer::cuda {

__device__ inline uint32_t own_half() {
  return threadIdx.x % 4 / 2;
}
__device__ inline uint32_t own_unit() {
  return threadIdx.x % 2 * 2;
}
/// Which of the 16 rows a RowSum's own sums belong to.
__device__ inline uint32_t own_row() {
  return threadIdx.x % 32 / 4 + 8 * own_half();
}
/// Which of the lane's four pixels a PixelSum's own sum `i` belongs to.
__device__ inline uint32_t own_pixel(uint32_t i) {
  return 2 * i + own_half();
}

/// Two numbers, the first in the lower half of the word.
__device__ inline uint32_t two_of(const __nv_bfloat16* from) {
  return *reinterpret_cast<const uint32_t*>(from);
}

/// Sums over pixels for 16 rows and the units.
template <Precision precision>
struct RowSum {
  using Stored = typename Factor<precision>::Stored;
  float x[4];

  __device__ void clear() { x[0] = x[1] = x[2] = x[3] = 0; }
  __device__ float own(int i) const { return own_half() ? x[2 + i] : x[i]; }

  /// Adds the products of 16 pixels; `a` and `b` are the images of rows lane / 4 and lane / 4 + 8, and
  /// `weights` has units x stride numbers.
  __device__ void add(const uint8_t* a, const uint8_t* b, const Stored* weights, uint32_t stride) {
    const uint32_t t = threadIdx.x % 4;
    weights += threadIdx.x / 4 % kUnits * stride;
    if constexpr (precision == Precision::bf16) {
      const auto pair = [](const uint8_t* at) {
        const uint32_t word = *reinterpret_cast<const uint16_t*>(at);
        return pack_bf16(byte_of(word, 0), byte_of(word, 1));
      };
      const uint32_t left[4] = {pair(a + 2 * t), pair(b + 2 * t), pair(a + 2 * t + 8), pair(b + 2 * t + 8)},
                     right[2] = {two_of(weights + 2 * t), two_of(weights + 2 * t + 8)};
      multiply_bf16(x, left, right);
    } else {
#pragma unroll
      for (uint32_t k = t; k < 16; k += 8) {
        const auto number = [](uint32_t byte) { return __float_as_uint(static_cast<float>(byte)); };
        const uint32_t left[4] = {number(a[k]), number(b[k]), number(a[k + 4]), number(b[k + 4])},
                       right[2] = {__float_as_uint(weights[k]), __float_as_uint(weights[k + 4])};
        multiply_tf32(x, left, right);
      }
    }
  }
};

template <>
struct RowSum<Precision::fp32> {
  float x[2];

  __device__ void clear() { x[0] = x[1] = 0; }
  __device__ float own(int i) const { return x[i]; }

  /// `weights` has pixels x units numbers.
  __device__ void add(const uint8_t* a, const uint8_t* b, const float* weights) {
    const uint4 pixels = *reinterpret_cast<const uint4*>(own_half() ? b : a);
    const uint32_t words[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
#pragma unroll
    for (uint32_t k = 0; k < 16; ++k) {
      const float pixel = byte_of(words[k / 4], k % 4);
      const float2 two = *reinterpret_cast<const float2*>(weights + k * kUnits + own_unit());
      x[0] += pixel * two.x;
      x[1] += pixel * two.y;
    }
  }
};

/// Sums over rows for 32 pixels and the units. Lane 4 g + t has pixels 4 g to 4 g + 3.
template <Precision precision>
struct PixelSum {
  using Stored = typename Factor<precision>::Stored;
  float x[8];

  __device__ void clear() {
    for (float& value : x) value = 0;
  }
  __device__ void operator+=(const PixelSum& other) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = other.x[i] + x[i];
  }
  __device__ float own(uint32_t i, uint32_t j) const {
    return own_half() ? x[4 * i + 2 + j] : x[4 * i + j];
  }

  /// Adds the products of 16 rows. `four_pixels(k)` returns the lane's pixels in row k; `back` has units x
  /// stride numbers.
  template <typename FourPixels>
  __device__ void add(FourPixels four_pixels, const Stored* back, uint32_t stride) {
    const uint32_t t = threadIdx.x % 4;
    back += threadIdx.x / 4 % kUnits * stride;
    if constexpr (precision == Precision::bf16) {
      const uint32_t words[4] = {four_pixels(2 * t), four_pixels(2 * t + 1), four_pixels(2 * t + 8),
                                 four_pixels(2 * t + 9)},
                     right[2] = {two_of(back + 2 * t), two_of(back + 2 * t + 8)};
      const auto pair = [&](int i, int byte) {
        return pack_bf16(byte_of(words[2 * i], byte), byte_of(words[2 * i + 1], byte));
      };
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint32_t left[4] = {pair(0, 2 * i), pair(0, 2 * i + 1), pair(1, 2 * i), pair(1, 2 * i + 1)};
        multiply_bf16(x + 4 * i, left, right);
      }
    } else {
#pragma unroll
      for (uint32_t k = t; k < 16; k += 8) {
        const uint32_t words[2] = {four_pixels(k), four_pixels(k + 4)},
                       right[2] = {__float_as_uint(back[k]), __float_as_uint(back[k + 4])};
        const auto number = [&](int i, int byte) { return __float_as_uint(byte_of(words[i], byte)); };
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const uint32_t left[4] = {number(0, 2 * i), number(0, 2 * i + 1), number(1, 2 * i),
                                    number(1, 2 * i + 1)};
          multiply_tf32(x + 4 * i, left, right);
        }
      }
    }
  }
};

template <>
struct PixelSum<Precision::fp32> {
  float x[4];

  __device__ void clear() { x[0] = x[1] = x[2] = x[3] = 0; }
  __device__ void operator+=(const PixelSum& other) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = other.x[i] + x[i];
  }
  __device__ float own(uint32_t i, uint32_t j) const {
    return x[2 * i + j];
  }

  template <typename FourPixels>
  __device__ void add(FourPixels four_pixels, const float* back, uint32_t stride) {
    back += own_unit() * stride;
#pragma unroll
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t word = four_pixels(k) >> 8 * own_half();
      const float one = back[k], other = back[k + stride];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float pixel = byte_of(word, 2 * i);
        x[2 * i] += pixel * one;
        x[2 * i + 1] += pixel * other;
      }
    }
  }
};

/// The sum that one thread computes.
struct OneSum {
  float x = 0;
  __device__ void clear() { x = 0; }
  __device__ void operator+=(const OneSum& other) { x = other.x + x; }
};

}  // namespace trainer::cuda
