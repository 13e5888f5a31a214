#pragma once

#include "base/philox.h"
#include "cuda/product.cuh"

/// The matrix products of a network's layers. Arrays are row-major; a row of a batch is an example.
namespace trainer::cuda {

/// Dropout for the rows of a batch. If `threshold` is 2^16, and in evaluations, all values are kept.
struct Dropout {
  uint64_t seed;
  uint32_t threshold;  ///< dropout_threshold()
  float scale;         ///< 1 / keep
  /// the batch's position in the run's stream of examples; null means that all values are kept
  const uint64_t* first_position;
  uint32_t first_row;  ///< the row of the batch for row 0 of the values

  __device__ float operator()(uint32_t row, uint32_t i, float value) const {
    if (!first_position || threshold >= 1 << 16) return value;
    return keeps(seed, *first_position + first_row + row, i, threshold) ? value * scale : 0.0f;
  }

  /// The factors for values i to i + 3. `i` must be a multiple of four.
  __device__ void four(uint32_t row, uint32_t i, float (&factors)[4]) const {
    const bool all = threshold >= 1 << 16;
    const auto words = draw(seed, Purpose::dropout, *first_position + first_row + row, i / kDropoutBlock);
    const bool second = i % kDropoutBlock != 0;
    const uint32_t pairs[2] = {second ? words[2] : words[0], second ? words[3] : words[1]};
#pragma unroll
    for (uint32_t n = 0; n < 4; ++n) {
      const uint32_t bits = pairs[n / 2] >> (n % 2 * 16) & 0xffff;
      factors[n] = all ? 1.0f : bits < threshold ? scale : 0.0f;
    }
  }
};

/// out = dropout(max(x W + bias, 0)), where x has rows x inputs and W has inputs x columns.
template <typename ShapeOf>
struct DenseForward {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns, inputs;
  const float *x, *weights, *bias;
  float* out;
  Dropout dropout;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t) const { return 0; }
  __device__ uint32_t end(uint32_t) const { return inputs; }
  __device__ float a(uint32_t row, uint32_t k) const { return x[row * inputs + k]; }
  __device__ float b(uint32_t k, uint32_t column) const { return weights[k * columns + column]; }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    const float value = values[0] + bias[column];
    out[row * columns + column] = dropout(row, column, value > 0 ? value : 0.0f);
  }
};

/// Computes x W in parts, each of which adds up a share of the inputs. Used for layers with many inputs and
/// few outputs, because the few tiles of the result alone would leave most of a GPU idle.
template <typename ShapeOf>
struct DenseParts {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = true, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns, inputs, parts;
  const float *x, *weights;
  float* out;  ///< the parts, one after the other
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t z) const { return inputs / parts * z; }
  __device__ uint32_t end(uint32_t z) const { return z + 1 < parts ? begin(z + 1) : inputs; }
  __device__ float a(uint32_t row, uint32_t k) const { return x[row * inputs + k]; }
  __device__ float b(uint32_t k, uint32_t column) const { return weights[k * columns + column]; }
  __device__ void store(uint32_t z, uint32_t row, uint32_t column, const float* values) const {
    out[(z * rows + row) * columns + column] = values[0];
  }
};

/// Backward through a dense layer: out = d W^T, where out has rows x columns and W has columns x outputs.
template <typename ShapeOf>
struct DenseBackward {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = false, kColumnsTogether = false, kPairwise = false;
  static constexpr int kGroup = 1;

  uint32_t rows, columns, outputs;
  const float *d, *weights;
  float* out;
  uint32_t segments = 1;

  __device__ uint32_t begin(uint32_t) const { return 0; }
  __device__ uint32_t end(uint32_t) const { return outputs; }
  __device__ float a(uint32_t row, uint32_t k) const { return d[row * outputs + k]; }
  __device__ float b(uint32_t k, uint32_t column) const { return weights[column * outputs + k]; }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    out[row * columns + column] = values[0];
  }
};

/// Computes the gradient of a dense layer's weights, x^T d, and in one more row the gradient of its biases,
/// the column sums of d. Biases are the weights of an input that is always 1. Adds up the batch's shards
/// pairwise.
template <typename ShapeOf>
struct DenseGradient {
  using Shape = ShapeOf;
  static constexpr bool kRowsTogether = true, kColumnsTogether = true, kPairwise = true;
  static constexpr int kGroup = 1;

  uint32_t rows, columns;  ///< rows: inputs + 1
  const float *x, *d;
  const uint32_t* bounds;  ///< bounds of the shards, as rows of x and d
  uint32_t segments;
  float* out;

  __device__ uint32_t begin(uint32_t shard) const { return bounds[shard]; }
  __device__ uint32_t end(uint32_t shard) const { return bounds[shard + 1]; }
  __device__ float a(uint32_t row, uint32_t k) const {
    return row + 1 < rows ? x[k * (rows - 1) + row] : 1.0f;
  }
  __device__ float b(uint32_t k, uint32_t column) const { return d[k * columns + column]; }
  __device__ void store(uint32_t, uint32_t row, uint32_t column, const float* values) const {
    out[row * columns + column] = values[0];
  }
};

}  // namespace trainer::cuda
