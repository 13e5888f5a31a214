#include <cmath>

#include "cuda/adam.cuh"
#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_persistent.h"
#include "cuda/fast/softmax.cuh"
#include "cuda/fast/unit_sums.cuh"

/// A block owns four hidden units. Their weights, the weights from them to the classes, and the moments of
/// both stay in its shared memory from the first update to the last. Every block holds the batch; the next
/// batch is loaded at the same time. Blocks exchange only the logits and their gradients. Each number is the
/// result of the same operations, in the same order, as in the three kernels of mlp_kernels.h.
namespace trainer::cuda {

namespace {

constexpr uint32_t kClasses = kFastClasses, kWarps = kFastThreads / 32, kNoRow = ~0u;
/// The last layer's weights for the units, and a copy of its biases. Each block has such a copy.
constexpr uint32_t kOfHead = (kUnits + 1) * kClasses;

/// The block's shared memory.
template <Precision precision>
struct Memory {
  using Stored = typename Factor<precision>::Stored;

  float *weights, *first, *second;  ///< pixels (and the bias) x units, then units (and the bias) x classes
  Stored* factors;                  ///< the weights as factors, units x weight_stride; not in fp32
  Stored* back;                     ///< the gradients of the hidden values, units x back_stride
  float *values, *logit_gradients;  ///< rows x units; rows x classes
  LogitsOfWarps* of_warps;
  uint32_t* row_of;  ///< for each row of `back`, its row in the batch
  uint8_t* images;   ///< rows x pixels of this update, then of the next one
  uint32_t weight_stride, back_stride;
  size_t bytes = 0;

  /// With these strides, a warp's loads use each bank only once.
  __host__ __device__ Memory(unsigned char* begin, const FastUpdates& plan)
      : weight_stride(plan.x.pixels + 8), back_stride(plan.padded_rows + 8) {
    const size_t parameters = (size_t{plan.x.pixels} + 1) * kUnits + kOfHead;
    for (float** array : {&weights, &first, &second}) take(begin, *array, parameters);
    take(begin, factors, precision == Precision::fp32 ? 0 : kUnits * size_t{weight_stride});
    take(begin, back, kUnits * size_t{back_stride});
    take(begin, values, plan.x.rows * size_t{kUnits});
    take(begin, logit_gradients, plan.x.rows * size_t{kClasses});
    take(begin, of_warps, 1);
    take(begin, row_of, plan.padded_rows);
    take(begin, images, size_t{2} * plan.x.rows * plan.x.pixels);
  }

 private:
  template <typename Value>
  __host__ __device__ void take(unsigned char* begin, Value*& array, size_t count) {
    array = reinterpret_cast<Value*>(begin + bytes);
    bytes += (count * sizeof(Value) + 15) / 16 * 16;
  }
};

template <Precision precision>
struct Block {
  const FastUpdates& plan;
  const Memory<precision> memory{shared_memory(), plan};
  const uint32_t first_unit = blockIdx.x * kUnits, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t head = (plan.x.pixels + 1) * kUnits;  ///< the index in `weights` where the last layer starts

  /// Copies the data that the block owns from GPU memory, or back to it. `move(theirs, ours)` copies one
  /// number, or the weights of a pixel. All blocks have the last layer's biases, and block 0 copies them
  /// back.
  template <typename Four, typename One>
  __device__ void copy(float* theirs, float* ours, bool returns, Four four, One one) const {
    for (uint32_t pixel = threadIdx.x; pixel <= plan.x.pixels; pixel += kFastThreads)
      four(reinterpret_cast<float4*>(theirs + size_t{pixel} * plan.hidden + first_unit),
           reinterpret_cast<float4*>(ours + pixel * kUnits));
    float* last = theirs + (size_t{plan.x.pixels} + 1) * plan.hidden;
    if (threadIdx.x < kUnits * kClasses)
      one(last + first_unit * kClasses + threadIdx.x, ours + head + threadIdx.x);
    const bool biases = threadIdx.x >= kUnits * kClasses && threadIdx.x < kOfHead;
    if (biases && (!returns || blockIdx.x == 0))
      one(last + size_t{plan.hidden - kUnits} * kClasses + threadIdx.x, ours + head + threadIdx.x);
  }
  __device__ void receive(float* theirs, float* ours) const {
    const auto move = [](auto* from, auto* to) { *to = __ldcg(from); };
    copy(theirs, ours, false, move, move);
  }
  __device__ void give_back(float* theirs, float* ours) const {
    const auto move = [](auto* to, auto* from) { *to = *from; };
    copy(theirs, ours, true, move, move);
  }

  __device__ void begin() const {
    receive(plan.parameters, memory.weights);
    receive(plan.first, memory.first);
    receive(plan.second, memory.second);
    uint32_t position = 0;
    for (uint32_t shard = 0; shard < plan.shards.count; ++shard) {
      const uint32_t end = plan.shards.bounds[shard + 1];
      for (uint32_t row = plan.shards.bounds[shard]; row < end; row += kGroupRows, position += kGroupRows) {
        if (threadIdx.x >= kGroupRows) continue;
        memory.row_of[position + threadIdx.x] = row + threadIdx.x < end ? row + threadIdx.x : kNoRow;
      }
    }
    __syncthreads();
    if constexpr (precision != Precision::fp32) {
      for (uint32_t i = threadIdx.x; i < plan.x.pixels * kUnits; i += kFastThreads) set_factor(i);
    }
  }

  /// Sets weight i in `factors`.
  __device__ void set_factor(uint32_t i) const {
    if (precision == Precision::fp32 || i >= plan.x.pixels * kUnits) return;
    memory.factors[i % kUnits * memory.weight_stride + i / kUnits] =
        Factor<precision>::from(memory.weights[i]);
  }

  __device__ const uint32_t* examples(uint32_t update) const {
    return plan.x.examples + size_t{update} * plan.x.rows;
  }

  __device__ uint8_t* images(uint32_t update) const {
    return memory.images + update % 2 * plan.x.rows * plan.x.pixels;
  }

  __device__ void fetch(uint32_t update) const {
    for (uint32_t row = warp; row < plan.x.rows; row += kWarps) {
      const uint8_t* image = plan.x.images + size_t{examples(update)[row]} * plan.x.pixels;
      uint8_t* to = images(update) + row * plan.x.pixels;
      for (uint32_t at = lane * 16; at < plan.x.pixels; at += 32 * 16) copy_later(to + at, image + at);
    }
  }

  /// Computes the sums of the hidden layer. A warp computes 16 rows.
  __device__ void forward(const uint8_t* images) const {
    using Sum = RowSum<precision>;
    [[maybe_unused]] constexpr int kTogether =
        precision == Precision::fp32 ? 1 : kForwardDepth / 16;  // hides the loads' latency
    for (uint32_t first = warp * 16; first < plan.x.rows; first += kWarps * 16) {
      const auto image = [&](uint32_t row) {
        return images + (row < plan.x.rows ? row : plan.x.rows - 1) * plan.x.pixels;
      };
      const uint8_t *a = image(first + lane / 4), *b = image(first + lane / 4 + 8);
      float total[2] = {};
      for (uint32_t begin = 0; begin < plan.x.pixels; begin += plan.depth) {
        const uint32_t end = min(begin + plan.depth, plan.x.pixels);
        Sum sum;
        sum.clear();
#pragma unroll kTogether
        for (uint32_t k = begin; k < end; k += 16) {
          if constexpr (precision == Precision::fp32) {
            sum.add(a + k, b + k, memory.weights + k * kUnits);
          } else {
            sum.add(a + k, b + k, memory.factors + k, memory.weight_stride);
          }
        }
#pragma unroll
        for (int i = 0; i < 2;
             ++i) {  // the other kernels store this product, so it must not be fused with an addition
          const float part = __fmul_rn(sum.own(i), 1 / kWhite);
          total[i] = begin == 0 ? part : total[i] + part;
        }
      }
      const uint32_t row = first + own_row();
      if (row < plan.x.rows)
        *reinterpret_cast<float2*>(memory.values + row * kUnits + own_unit()) = float2{total[0], total[1]};
    }
  }

  /// A thread computes the hidden values of a row, and their share of the row's logits.
  __device__ void partial_logits(uint32_t update) const {
    Dropout dropout = plan.dropout;
    dropout.first_position = &plan.jobs[update].first_position;
    const float *bias = memory.weights + plan.x.pixels * kUnits, *weights = memory.weights + head;
    for (uint32_t row = threadIdx.x; row < plan.x.rows; row += kFastThreads) {
      float factor[kUnits], logits[kClasses];
      dropout.four(row, first_unit, factor);
      float* value = memory.values + row * kUnits;
#pragma unroll
      for (uint32_t i = 0; i < kUnits; ++i) {
        const float sum = value[i] + bias[i];
        value[i] = sum > 0 ? sum * factor[i] : 0.0f;
      }
#pragma unroll
      for (uint32_t c = 0; c < kClasses; ++c) {
        logits[c] = 0;
#pragma unroll
        for (uint32_t i = 0; i < kUnits; ++i) logits[c] += value[i] * weights[i * kClasses + c];
      }
      auto* to = reinterpret_cast<float2*>(plan.logits + (size_t{row} * gridDim.x + blockIdx.x) * kClasses);
#pragma unroll
      for (uint32_t c = 0; c < kClasses; c += 2) to[c / 2] = float2{logits[c], logits[c + 1]};
    }
  }

  /// Computes the losses and gradients of this block's rows.
  __device__ void softmax(uint32_t update) const {
    for (uint32_t row = blockIdx.x; row < plan.x.rows; row += gridDim.x) {
      float logits[kClasses], gradient[kClasses];
      const auto* from =
          reinterpret_cast<const float2*>(plan.logits + (size_t{row} * gridDim.x + threadIdx.x) * kClasses);
#pragma unroll
      for (uint32_t c = 0; c < kClasses; c += 2) {
        const float2 two = threadIdx.x < gridDim.x ? __ldcg(from + c / 2) : float2{0, 0};
        logits[c] = two.x, logits[c + 1] = two.y;
      }
      const float loss = softmax_of_row(logits, *memory.of_warps, (gridDim.x + 31) / 32,
                                        memory.weights + head + kUnits * kClasses,
                                        plan.x.labels[examples(update)[row]], plan.share, gradient);
#pragma unroll
      for (uint32_t c = 0; c < kClasses; ++c) {
        if (threadIdx.x == c) plan.logit_gradients[row * kClasses + c] = gradient[c];
      }
      if (threadIdx.x == 0) {
        plan.losses[size_t{update} * plan.x.rows + row] = loss;
        if (!std::isfinite(loss)) *plan.halted = 1;
      }
      __syncthreads();
    }
  }

  /// Computes the gradients of the hidden values, as factors. Rows without an image have zeros.
  __device__ void backward() const {
    for (uint32_t i = threadIdx.x; i < plan.x.rows * kClasses; i += kFastThreads)
      memory.logit_gradients[i] = __ldcg(plan.logit_gradients + i);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < plan.padded_rows * kUnits; i += kFastThreads) {
      const uint32_t unit = i % kUnits, row = memory.row_of[i / kUnits];
      float back = 0;
      if (row != kNoRow && memory.values[row * kUnits + unit] > 0) {
#pragma unroll
        for (uint32_t c = 0; c < kClasses; ++c)
          back += memory.logit_gradients[row * kClasses + c] * memory.weights[head + unit * kClasses + c];
        back *= plan.dropout.scale / kWhite;
      }
      memory.back[unit * memory.back_stride + i / kUnits] = Factor<precision>::from(back);
    }
  }

  __device__ void move(const Coefficients& coefficients, uint32_t i, float gradient) const {
    move_by_adam(gradient, coefficients[0], coefficients[1], memory.weights[i], memory.first[i],
                 memory.second[i]);
    set_factor(i);
  }

  /// Moves the weights of the hidden units. A warp moves those of 32 pixels at a time. The bias is the weight
  /// of one more pixel, which is always 255.
  __device__ void move_hidden(const Coefficients& coefficients, const uint8_t* images) const {
    for (uint32_t first = warp * 32; first <= plan.x.pixels; first += kWarps * 32) {
      const uint32_t pixel = first + lane / 4 * 4;
      PixelSum<precision> sum;
      uint32_t position = 0;
      sum_shards(plan.shards, sum, [&](PixelSum<precision>& to, uint32_t first_row, uint32_t) {
        const auto four_pixels = [&](uint32_t k) -> uint32_t {
          const uint32_t row = min(first_row + k, plan.x.rows - 1);
          if (pixel >= plan.x.pixels) return pixel == plan.x.pixels ? 255 : 0;
          return *reinterpret_cast<const uint32_t*>(images + row * plan.x.pixels + pixel);
        };
        to.add(four_pixels, memory.back + position, memory.back_stride);
        position += kGroupRows;
      });
#pragma unroll
      for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t of = pixel + own_pixel(i);
        if (of > plan.x.pixels) continue;
#pragma unroll
        for (uint32_t j = 0; j < 2; ++j) move(coefficients, of * kUnits + own_unit() + j, sum.own(i, j));
      }
    }
  }

  /// Moves the weights of the last layer. Each of the last threads moves one weight. The bias is the weight
  /// of one more unit, which is always 1.
  __device__ void move_head(const Coefficients& coefficients) const {
    const uint32_t i = threadIdx.x - (kFastThreads - 64), unit = i / kClasses, c = i % kClasses;
    if (i >= kOfHead) return;
    OneSum sum;
    sum_shards(plan.shards, sum, [&](OneSum& to, uint32_t row, uint32_t count) {
#pragma unroll 4
      for (uint32_t r = row; r < row + count; ++r)
        to.x +=
            (unit < kUnits ? memory.values[r * kUnits + unit] : 1) * memory.logit_gradients[r * kClasses + c];
    });
    move(coefficients, head + i, sum.x);
  }

  __device__ void end() const {
    give_back(plan.parameters, memory.weights);
    give_back(plan.first, memory.first);
    give_back(plan.second, memory.second);
  }
};

template <Precision precision>
__global__ void __launch_bounds__(kFastThreads) updates(const __grid_constant__ FastUpdates plan) {
  const Block<precision> block{plan};
  uint32_t barriers = 0;
  block.begin();
  block.fetch(0);
  for (uint32_t update = 0; update < plan.updates; ++update) {
    const uint8_t* images = block.images(update);
    wait_for_copies();
    __syncthreads();
    if (update + 1 < plan.updates) block.fetch(update + 1);
    block.forward(images);
    __syncthreads();
    block.partial_logits(update);
    grid_barrier(plan.arrivals, ++barriers);
    block.softmax(update);
    grid_barrier(plan.arrivals, ++barriers);
    // No block can change this value before all blocks have passed the next barrier.
    const bool halted = __ldcg(plan.halted);
    block.backward();
    __syncthreads();
    if (halted) continue;
    const Coefficients coefficients = plan.jobs[update].coefficients;
    block.move_hidden(coefficients, images);
    block.move_head(coefficients);
  }
  __syncthreads();
  block.end();
}

}  // namespace

template <Precision precision>
bool fast_updates_fit(const FastUpdates& plan) {
  const size_t bytes = Memory<precision>(nullptr, plan).bytes;
  return can_run_together(updates<precision>, plan.hidden / kUnits, kFastThreads, bytes);
}
template <Precision precision>
void fast_updates(const Stream& stream, const FastUpdates& plan) {
  launch_together(stream, updates<precision>, plan.hidden / kUnits, kFastThreads,
                  Memory<precision>(nullptr, plan).bytes, plan);
}
template bool fast_updates_fit<Precision::fp32>(const FastUpdates&);
template bool fast_updates_fit<Precision::tf32>(const FastUpdates&);
template bool fast_updates_fit<Precision::bf16>(const FastUpdates&);
template void fast_updates<Precision::fp32>(const Stream&, const FastUpdates&);
template void fast_updates<Precision::tf32>(const Stream&, const FastUpdates&);
template void fast_updates<Precision::bf16>(const Stream&, const FastUpdates&);

}  // namespace trainer::cuda
