#pragma once

#include "cuda/divisor.h"
#include "cuda/product.cuh"

/// The convolutions of model/cnn.h as products with patches. The patches are never stored; each element is
/// computed when it is needed. Planes and weights have the same layout as there.
namespace trainer::cuda {

constexpr uint32_t kTaps = 9;  ///< of a 3 x 3 convolution

/// The pixels of several images, one image after the other. A pixel has no channels here.
struct Grid {
  uint32_t rows, columns;
  Divisor by_pixels, by_columns;

  Grid(uint32_t rows, uint32_t columns)
      : rows(rows), columns(columns), by_pixels(rows * columns), by_columns(columns) {}

  struct Place {
    uint32_t image, row, column;
  };
  __device__ Place place(uint32_t i) const {
    const uint32_t image = by_pixels.divide(i), pixel = i - image * rows * columns,
                   row = by_columns.divide(pixel);
    return {image, row, pixel - row * columns};
  }
  __device__ uint32_t index(const Place& p) const { return (p.image * rows + p.row) * columns + p.column; }
};

/// The elements of the 2 x 2 windows of pooling, four for each pooled element: number 4 w + q is the q-th
/// element of window w.
struct Windows {
  Grid pooled;

  __device__ Grid::Place place(uint32_t i) const {
    Grid::Place p = pooled.place(i / 4);
    p.row = 2 * p.row + i / 2 % 2;
    p.column = 2 * p.column + i % 2;
    return p;
  }
};

/// Stands in for the index of a window's largest element if ReLU set the pooled value to 0.
constexpr uint8_t kNone = 4;

/// out = max(image * W + bias, 0): from one channel to `columns` channels.
template <typename ShapeOf>
struct FirstForward {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = true, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns;
  Grid image, to;
  const float *x, *weights, *bias;
  float* out;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t) const { return 0; }
  __device__ uint32_t end(uint32_t) const { return kTaps; }
  __device__ float a(uint32_t row, uint32_t k) const {
    const Grid::Place p = to.place(row);
    return x[image.index({p.image, p.row + k / 3, p.column + k % 3})];
  }
  __device__ float b(uint32_t k, uint32_t column) const { return weights[k * columns + column]; }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    const float value = values[0] + bias[column];
    out[row * columns + column] = value > 0 ? value : 0.0f;
  }
};

/// pooled = max(pool(planes * W) + bias, 0), where planes have kFrom channels.
template <typename ShapeOf, uint32_t kFrom>
struct SecondForward {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 4;

  uint32_t rows, columns;
  Grid from;
  Windows windows;
  const float *x, *weights, *bias;
  float* out;
  uint8_t* which;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t) const { return 0; }
  __device__ uint32_t end(uint32_t) const { return kTaps * kFrom; }
  __device__ float a(uint32_t row, uint32_t k) const {
    const Grid::Place p = windows.place(row);
    const uint32_t tap = k / kFrom;
    return x[from.index({p.image, p.row + tap / 3, p.column + tap % 3}) * kFrom + k % kFrom];
  }
  __device__ float b(uint32_t k, uint32_t column) const { return weights[k * columns + column]; }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    uint8_t best = 0;
#pragma unroll
    for (uint8_t q = 1; q < 4; ++q) {
      if (values[q] > values[best]) best = q;
    }
    const float value = values[best] + bias[column];
    out[row / 4 * columns + column] = value > 0 ? value : 0.0f;
    which[row / 4 * columns + column] = value > 0 ? best : kNone;
  }
};

/// The gradient of element `q` of a pooling window: the gradient of the pooled value if the element was the
/// largest, otherwise 0.
__device__ inline float unpooled(const float* gradient, const uint8_t* which, uint32_t i, uint32_t q) {
  return which[i] == q ? gradient[i] : 0.0f;
}

/// Divides the rows of each shard into parts. Block `z` adds up the rows from first_row(z) to last_row(z),
/// which are part `z % parts` of shard `z / parts`.
struct Parts {
  const uint32_t* bounds;  ///< the bounds of the shards
  uint32_t parts;

  __device__ uint32_t first_row(uint32_t z) const {
    const uint32_t shard = z / parts, first = bounds[shard];
    return first + (bounds[shard + 1] - first) * (z % parts) / parts;
  }
  __device__ uint32_t last_row(uint32_t z) const {
    return z % parts + 1 < parts ? first_row(z + 1) : bounds[z / parts + 1];
  }
};

/// Computes, in parts, the gradient of the second convolution's weights and, in one more row, of its biases.
template <typename ShapeOf, uint32_t kFrom>
struct SecondGradient {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = true, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns;  ///< the number of rows: kTaps * kFrom + 1
  Grid from;
  Windows windows;
  const float *x, *d;  ///< d is the gradient of the pooled values
  const uint8_t* which;
  Parts parts;
  float* out;  ///< the parts, one after the other
  uint32_t segments = 1;

  __device__ uint32_t each() const { return 4 * windows.pooled.rows * windows.pooled.columns; }
  __device__ uint32_t begin(uint32_t z) const { return parts.first_row(z) * each(); }
  __device__ uint32_t end(uint32_t z) const { return parts.last_row(z) * each(); }
  __device__ float a(uint32_t row, uint32_t k) const {
    if (row == kTaps * kFrom) return 1.0f;
    const Grid::Place p = windows.place(k);
    const uint32_t tap = row / kFrom;
    return x[from.index({p.image, p.row + tap / 3, p.column + tap % 3}) * kFrom + row % kFrom];
  }
  __device__ float b(uint32_t k, uint32_t column) const {
    return unpooled(d, which, k / 4 * columns + column, k % 4);
  }
  __device__ void store(uint32_t z, uint32_t row, uint32_t column, const float* values) const {
    out[(z * rows + row) * columns + column] = values[0];
  }
};

/// Backward through the second convolution: the gradient of the first convolution's values, before its ReLU.
/// They have `columns` channels; the second convolution has kTo.
template <typename ShapeOf, uint32_t kTo>
struct SecondBackward {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = false, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns;
  Grid from, pooled;
  const float *d, *weights, *x;
  const uint8_t* which;
  float* out;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t) const { return 0; }
  __device__ uint32_t end(uint32_t) const { return kTaps * kTo; }
  __device__ float a(uint32_t row, uint32_t k) const {
    const Grid::Place p = from.place(row);
    const uint32_t tap = k / kTo, y = p.row - tap / 3,
                   x = p.column - tap % 3;  // a negative number wraps around to a huge number
    if (y / 2 >= pooled.rows || x / 2 >= pooled.columns) return 0;
    return unpooled(d, which, pooled.index({p.image, y / 2, x / 2}) * kTo + k % kTo, y % 2 * 2 + x % 2);
  }
  __device__ float b(uint32_t k, uint32_t column) const {
    return weights[(k / kTo * columns + column) * kTo + k % kTo];
  }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    const uint32_t i = row * columns + column;
    out[i] = x[i] > 0 ? values[0] : 0.0f;
  }
};

/// Computes, in parts, the gradient of the first convolution's weights and biases.
template <typename ShapeOf>
struct FirstGradient {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns;  ///< rows: kTaps + 1
  Grid image, to;
  const float *x, *d;
  Parts parts;
  float* out;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t z) const { return parts.first_row(z) * to.rows * to.columns; }
  __device__ uint32_t end(uint32_t z) const { return parts.last_row(z) * to.rows * to.columns; }
  __device__ float a(uint32_t row, uint32_t k) const {
    if (row == kTaps) return 1.0f;
    const Grid::Place p = to.place(k);
    return x[image.index({p.image, p.row + row / 3, p.column + row % 3})];
  }
  __device__ float b(uint32_t k, uint32_t column) const { return d[k * columns + column]; }
  __device__ void store(uint32_t z, uint32_t row, uint32_t column, const float* values) const {
    out[(z * rows + row) * columns + column] = values[0];
  }
};

}  // namespace trainer::cuda
