#pragma once

#include <cmath>

#include "cuda_bf16.h"
#include "cuda_runtime.h"

/// Products of 16 x 16 tiles by a warp, as described in the CUDA C++ Programming Guide, "warp matrix
/// functions". The guide does not specify which thread holds which part of a tile. Here, a thread computes
/// half a row of the result, eight values, and holds the parts of the factors for it.
namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

namespace detail {
inline unsigned row() {
  return threadIdx.x % 32 / 2;
}
inline unsigned column() {
  return threadIdx.x % 2 * 8;
}
inline float number(float value) {
  return value;
}
inline float number(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
}  // namespace detail

template <typename Use, int m, int n, int k, typename Type, typename Layout = void>
struct fragment;
template <int k, typename Type>
struct fragment<matrix_a, 16, 16, k, Type, col_major> {
  float row[k];
};
template <int k, typename Type>
struct fragment<matrix_b, 16, 16, k, Type, row_major> {
  float part[k][8];
};
template <int k>
struct fragment<accumulator, 16, 16, k, float> {
  static constexpr int num_elements = 8;
  float x[8];
};

template <int k, typename Type, typename Stored>
void load_matrix_sync(fragment<matrix_a, 16, 16, k, Type, col_major>& a, const Stored* from,
                      unsigned stride) {
  for (unsigned i = 0; i < k; ++i) a.row[i] = detail::number(from[i * stride + detail::row()]);
}

template <int k, typename Type, typename Stored>
void load_matrix_sync(fragment<matrix_b, 16, 16, k, Type, row_major>& b, const Stored* from,
                      unsigned stride) {
  for (unsigned i = 0; i < k; ++i) {
    for (unsigned j = 0; j < 8; ++j) b.part[i][j] = detail::number(from[i * stride + detail::column() + j]);
  }
}

template <int k>
void fill_fragment(fragment<accumulator, 16, 16, k, float>& sum, float value) {
  for (float& x : sum.x) x = value;
}

template <int k, typename Type>
void mma_sync(fragment<accumulator, 16, 16, k, float>& sum,
              const fragment<matrix_a, 16, 16, k, Type, col_major>& a,
              const fragment<matrix_b, 16, 16, k, Type, row_major>& b,
              const fragment<accumulator, 16, 16, k, float>& before) {
  for (int j = 0; j < 8; ++j) {
    float total = 0;
    for (int i = 0; i < k; ++i) total += a.row[i] * b.part[i][j];
    sum.x[j] = before.x[j] + total;
  }
}

template <int k>
void store_matrix_sync(float* to, const fragment<accumulator, 16, 16, k, float>& sum, unsigned stride,
                       layout_t) {
  for (unsigned j = 0; j < 8; ++j) to[detail::row() * stride + detail::column() + j] = sum.x[j];
}

/// Rounds the fraction from 23 bits to ten, to the nearest number, with ties away from zero, like the
/// instruction cvt.rna.tf32.
inline float __float_to_tf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isfinite(value)) bits = (bits + 0x1000) & ~0x1fffu;
  std::memcpy(&value, &bits, 4);
  return value;
}

}  // namespace nvcuda::wmma
