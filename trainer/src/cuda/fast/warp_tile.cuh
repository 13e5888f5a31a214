#pragma once

#include "cuda/fast/instructions.cuh"
#include "cuda/tile.cuh"

namespace trainer::cuda {

/// A block computes a tile of 64 x 64 sums with eight warps. Each warp computes 32 x 16 of them.
constexpr uint32_t kTile = 64;
constexpr unsigned kFastThreads = 256;

/// The distance of rows in shared memory, where both factors have a row for each k. With this distance, a
/// warp's loads use each bank only once: from one row to the next, the banks move by 8 for 4-byte numbers,
/// and by 4 for 2-byte numbers.
constexpr int kRowStride = kTile + 8;

/// Four neighboring numbers in a row of a factor.
template <Precision precision>
struct alignas(4 * sizeof(typename Factor<precision>::Stored)) FourFactors {
  typename Factor<precision>::Stored values[4];
};

template <Precision precision>
__device__ FourFactors<precision> four_factors(float a, float b, float c, float d) {
  using From = Factor<precision>;
  return {{From::from(a), From::from(b), From::from(c), From::from(d)}};
}

__device__ inline float byte_of(uint32_t word, int i) {
  return static_cast<float>(word >> 8 * i & 0xff);
}

/// This thread's 16 sums of a tile, computed by tensor cores. Sums 2 i and 2 i + 1 are neighbors in a row.
template <Precision precision>
struct WarpTile {
  using Stored = typename Factor<precision>::Stored;
  float x[16];

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int first_row() { return static_cast<int>(threadIdx.x) / 128 * 32; }
  static __device__ int first_column() { return static_cast<int>(threadIdx.x) / 32 % 4 * 16; }
  static __device__ int row(int i) { return first_row() + i / 8 * 16 + i / 2 % 2 * 8 + lane() / 4; }
  static __device__ int column(int i) { return first_column() + i / 4 % 2 * 8 + lane() % 4 * 2 + i % 2; }

  __device__ void clear() {
    for (float& value : x) value = 0;
  }
  __device__ void operator+=(const WarpTile& other) {
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = other.x[i] + x[i];
  }

  /// Adds the products of 16 rows of both factors.
  __device__ void add(const Stored* a, const Stored* b) {
    a += first_row();
    b += first_column();
    if constexpr (precision == Precision::bf16) {
      const int matrix = lane() / 8, k = lane() % 8;
      uint32_t left[2][4], right[4];
      load_transposed(right, b + (matrix % 2 * 8 + k) * kRowStride + matrix / 2 * 8);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        load_transposed(left[i], a + (matrix / 2 * 8 + k) * kRowStride + 16 * i + matrix % 2 * 8);
#pragma unroll
      for (int i = 0; i < 4; ++i) multiply_bf16(x + 4 * i, left[i / 2], right + 2 * (i % 2));
    } else {
      const int k = lane() % 4, across = lane() / 4;
#pragma unroll
      for (int half = 0; half < 2; ++half, a += 8 * kRowStride, b += 8 * kRowStride) {
        uint32_t left[2][4], right[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          right[i] = bits(b[(k + i % 2 * 4) * kRowStride + i / 2 * 8 + across]);
          left[0][i] = bits(a[(k + i / 2 * 4) * kRowStride + i % 2 * 8 + across]);
          left[1][i] = bits(a[(k + i / 2 * 4) * kRowStride + 16 + i % 2 * 8 + across]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) multiply_tf32(x + 4 * i, left[i / 2], right + 2 * (i % 2));
      }
    }
  }

 private:
  static __device__ uint32_t bits(float value) {
    return __float_as_uint(value);
  }
};

/// This thread's 4 x 4 sums of a tile, computed by the general arithmetic units.
template <>
struct WarpTile<Precision::fp32> {
  using Stored = float;
  float x[16];

  static __device__ int first_row() {
    return static_cast<int>(threadIdx.x) / 128 * 32 + static_cast<int>(threadIdx.x) % 32 / 4 * 4;
  }
  static __device__ int first_column() {
    return static_cast<int>(threadIdx.x) / 32 % 4 * 16 + static_cast<int>(threadIdx.x) % 4 * 4;
  }
  static __device__ int row(int i) { return first_row() + i / 4; }
  static __device__ int column(int i) { return first_column() + i % 4; }

  __device__ void clear() {
    for (float& value : x) value = 0;
  }
  __device__ void operator+=(const WarpTile& other) {
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = other.x[i] + x[i];
  }

  __device__ void add(const float* a, const float* b) {
    a += first_row();
    b += first_column();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 left = *reinterpret_cast<const float4*>(a + k * kRowStride),
                   right = *reinterpret_cast<const float4*>(b + k * kRowStride);
      add_row(x, left.x, right);
      add_row(x + 4, left.y, right);
      add_row(x + 8, left.z, right);
      add_row(x + 12, left.w, right);
    }
  }

 private:
  static __device__ void add_row(float* sum, float left, const float4& right) {
    sum[0] += left * right.x;
    sum[1] += left * right.y;
    sum[2] += left * right.z;
    sum[3] += left * right.w;
  }
};

}  // namespace trainer::cuda
