#include "cuda/adam.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_kernels.h"
#include "cuda/fast/warp_tile.cuh"

namespace trainer::cuda {

namespace {

constexpr uint32_t kClasses = kFastClasses, kRows = kGroups * kGroupRows;

/// The position of a thread in a group of rows. Each thread loads four numbers of one row.
struct Place {
  uint32_t row = threadIdx.x / (kTile / 4), column = threadIdx.x % (kTile / 4) * 4;
};
static_assert(kFastThreads == kGroupRows * kTile / 4);

__device__ float4 load_four(const float* from, bool inside) {
  return inside ? __ldcg(reinterpret_cast<const float4*>(from)) : float4{0, 0, 0, 0};
}

/// The values that Adam needs to move `kCount` parameters, loaded before their gradient is known.
template <int kCount>
struct Moving {
  float rate, second_scale, parameter[kCount], first[kCount], second[kCount];

  __device__ void coefficients(const FastGradient& plan) {
    rate = (*plan.adam.coefficients)[0], second_scale = (*plan.adam.coefficients)[1];
  }
  __device__ void load_two(const FastGradient& plan, int i, size_t at) {
    const float2 p = __ldcg(reinterpret_cast<const float2*>(plan.adam.parameters + at)),
                 m = __ldcg(reinterpret_cast<const float2*>(plan.adam.first + at)),
                 v = __ldcg(reinterpret_cast<const float2*>(plan.adam.second + at));
    parameter[i] = p.x, parameter[i + 1] = p.y;
    first[i] = m.x, first[i + 1] = m.y;
    second[i] = v.x, second[i + 1] = v.y;
  }
  __device__ void store_two(const FastGradient& plan, int i, size_t at, float g, float h) {
    move_by_adam(g, rate, second_scale, parameter[i], first[i], second[i]);
    move_by_adam(h, rate, second_scale, parameter[i + 1], first[i + 1], second[i + 1]);
    *reinterpret_cast<float2*>(plan.adam.parameters + at) = float2{parameter[i], parameter[i + 1]};
    *reinterpret_cast<float2*>(plan.adam.first + at) = float2{first[i], first[i + 1]};
    *reinterpret_cast<float2*>(plan.adam.second + at) = float2{second[i], second[i + 1]};
  }
};

/// Computes a tile of the gradient of the hidden layer's weights and biases. Biases are the weights of one
/// more pixel, which is always 255.
template <Precision precision, bool kMoves>
__device__ void hidden_gradient(const FastGradient& plan, uint32_t first_pixel, uint32_t first_column) {
  using Tile = WarpTile<precision>;
  auto* a = reinterpret_cast<typename Tile::Stored*>(shared_memory());
  auto* b = a + kRows * kRowStride;
  const Place place;
  const uint32_t pixel = first_pixel + place.column, column = first_column + place.column;
  const auto is_inside = [&](int i) {
    return first_pixel + Tile::row(i) <= plan.x.pixels && first_column + Tile::column(i) < plan.hidden;
  };
  const auto index = [&](int i) {
    return (size_t{first_pixel} + Tile::row(i)) * plan.hidden + first_column + Tile::column(i);
  };
  Moving<16> moving;
  if constexpr (kMoves) {
    moving.coefficients(plan);
#pragma unroll
    for (int i = 0; i < 16; i += 2) {
      if (is_inside(i)) moving.load_two(plan, i, index(i));
    }
  }
  Tile sum;
  sum_shards(
      plan.shards, sum,
      [&](const RowGroups& groups) {
        uint32_t pixels[kGroups];
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          const bool inside = place.row < groups.rows[g];
          pixels[g] = inside && pixel == plan.x.pixels ? 255 : 0;
          if (inside && pixel < plan.x.pixels) {
            const size_t image = plan.x.examples[groups.first[g] + place.row];
            pixels[g] = *reinterpret_cast<const uint32_t*>(plan.x.images + image * plan.x.pixels + pixel);
          }
        }
        wait_for_previous();
        start_next();
        float4 d[kGroups];
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          d[g] = load_four(plan.hidden_gradients + size_t{groups.first[g] + place.row} * plan.hidden + column,
                           place.row < groups.rows[g] && column < plan.hidden);
        }
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          using Four = FourFactors<precision>;
          const uint32_t at = (g * kGroupRows + place.row) * kRowStride + place.column, word = pixels[g];
          *reinterpret_cast<Four*>(a + at) =
              four_factors<precision>(byte_of(word, 0), byte_of(word, 1), byte_of(word, 2), byte_of(word, 3));
          *reinterpret_cast<Four*>(b + at) = four_factors<precision>(d[g].x, d[g].y, d[g].z, d[g].w);
        }
      },
      [&](Tile& to, int group) {
        to.add(a + group * kGroupRows * kRowStride, b + group * kGroupRows * kRowStride);
      });
  if constexpr (kMoves) {
    if (__ldcg(plan.adam.halted)) return;
  }
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    if (!is_inside(i)) continue;
    if constexpr (kMoves) {
      moving.store_two(plan, i, index(i), sum.x[i], sum.x[i + 1]);
    } else {
      *reinterpret_cast<float2*>(plan.gradient + index(i)) = float2{sum.x[i], sum.x[i + 1]};
    }
  }
}

/// A thread's sums for one hidden unit and some of the classes.
constexpr uint32_t kClassesEach = 4;
struct ClassSums {
  float x[kClassesEach];
  __device__ void clear() {
    for (float& value : x) value = 0;
  }
  __device__ void operator+=(const ClassSums& other) {
#pragma unroll
    for (uint32_t i = 0; i < kClassesEach; ++i) x[i] = other.x[i] + x[i];
  }
};

/// Computes the gradient of the last layer's weights for kTile hidden units, and of its biases, which are the
/// weights of one more unit with the value 1.
template <bool kMoves>
__device__ void head_gradient(const FastGradient& plan, uint32_t first_unit) {
  auto* values = reinterpret_cast<float*>(shared_memory());
  auto* d = values + kRows * kRowStride;  // rows of 12: each of three threads has 4 classes
  constexpr uint32_t kDStride = kClassesEach * ((kClasses + kClassesEach - 1) / kClassesEach);
  const Place place;
  const uint32_t column = first_unit + place.column;
  ClassSums sum;
  const uint32_t unit = threadIdx.x % kTile, first_class = threadIdx.x / kTile * kClassesEach;
  const bool works = first_class < kClasses && first_unit + unit <= plan.hidden;
  sum_shards(
      plan.shards, sum,
      [&](const RowGroups& groups) {
        wait_for_previous();
        start_next();
        float4 four[kGroups];
        float logits[kGroups];
        const uint32_t row = threadIdx.x / kDStride, c = threadIdx.x % kDStride;
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          four[g] = load_four(plan.values + size_t{groups.first[g] + place.row} * plan.hidden + column,
                              place.row < groups.rows[g] && column < plan.hidden);
          if (column == plan.hidden) four[g].x = 1;
          logits[g] = row < groups.rows[g] && c < kClasses
                          ? __ldcg(plan.logit_gradients + size_t{groups.first[g] + row} * kClasses + c)
                          : 0.0f;
        }
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          *reinterpret_cast<float4*>(values + (g * kGroupRows + place.row) * kRowStride + place.column) =
              four[g];
          if (row < kGroupRows) d[(g * kGroupRows + row) * kDStride + c] = logits[g];
        }
      },
      [&](ClassSums& to, int group) {
        if (first_class >= kClasses) return;
#pragma unroll
        for (int r = 0; r < kGroupRows; ++r) {
          const float value = values[(group * kGroupRows + r) * kRowStride + unit];
          const float4 of_row =
              *reinterpret_cast<const float4*>(d + (group * kGroupRows + r) * kDStride + first_class);
          to.x[0] += value * of_row.x, to.x[1] += value * of_row.y;
          to.x[2] += value * of_row.z, to.x[3] += value * of_row.w;
        }
      });
  if (!works) return;
  const size_t first =
      (size_t{plan.x.pixels} + 1) * plan.hidden + (size_t{first_unit} + unit) * kClasses + first_class;
  Moving<2> moving;
  if constexpr (kMoves) {
    if (__ldcg(plan.adam.halted)) return;
    moving.coefficients(plan);
  }
#pragma unroll
  for (uint32_t i = 0; i < kClassesEach; i += 2) {
    if (first_class + i >= kClasses) continue;
    if constexpr (kMoves) {
      moving.load_two(plan, 0, first + i);
      moving.store_two(plan, 0, first + i, sum.x[i], sum.x[i + 1]);
    } else {
      *reinterpret_cast<float2*>(plan.gradient + first + i) = float2{sum.x[i], sum.x[i + 1]};
    }
  }
}

template <Precision precision>
constexpr size_t gradient_bytes() {
  constexpr size_t kHidden = 2 * kRows * kRowStride * sizeof(typename Factor<precision>::Stored),
                   kHead = kRows * (kRowStride + kClasses + kClassesEach) * sizeof(float);
  return kHidden > kHead ? kHidden : kHead;
}

/// Blocks for the tiles of the hidden layer, then blocks for the last layer.
template <Precision precision, bool kMoves>
__global__ void __launch_bounds__(kFastThreads) gradient(const FastGradient plan) {
  const uint32_t across = (plan.hidden + kTile - 1) / kTile, tiles = across * (plan.x.pixels / kTile + 1);
  if (blockIdx.x < tiles) {
    hidden_gradient<precision, kMoves>(plan, blockIdx.x / across * kTile, blockIdx.x % across * kTile);
  } else {
    head_gradient<kMoves>(plan, (blockIdx.x - tiles) * kTile);
  }
}

}  // namespace

template <Precision precision>
void fast_gradient(const Stream& stream, bool overlap, const FastGradient& plan) {
  const unsigned blocks = blocks_for(plan.hidden, kTile) * blocks_for(plan.x.pixels + 1, kTile) +
                          blocks_for(plan.hidden + 1, kTile);
  const auto kernel = plan.adam.parameters ? gradient<precision, true> : gradient<precision, false>;
  launch_after(stream, overlap, kernel, blocks, kFastThreads, gradient_bytes<precision>(), plan);
}
template void fast_gradient<Precision::fp32>(const Stream&, bool, const FastGradient&);
template void fast_gradient<Precision::tf32>(const Stream&, bool, const FastGradient&);
template void fast_gradient<Precision::bf16>(const Stream&, bool, const FastGradient&);

}  // namespace trainer::cuda
