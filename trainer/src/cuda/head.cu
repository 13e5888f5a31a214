#include "cuda/head.cuh"

#include <cmath>

namespace trainer::cuda {

namespace {

constexpr unsigned kWarp = 32, kRowsEach = 2;  ///< each row has a warp

/// Computes the logits of a row with one warp. All its threads get the same values, bit for bit.
__device__ void find_logits(const Head& head, const float* hidden, float* logits) {
  constexpr uint32_t kTogether = 10;
  const uint32_t lane = threadIdx.x % kWarp;
  for (uint32_t first = 0; first < head.classes; first += kTogether) {
    float sum[kTogether] = {};
    for (uint32_t j = lane; j < head.inputs; j += kWarp) {
      const float value = hidden[j];
#pragma unroll
      for (uint32_t c = 0; c < kTogether; ++c) {
        if (first + c < head.classes) sum[c] += value * head.weights[size_t{j} * head.classes + first + c];
      }
    }
#pragma unroll
    for (uint32_t c = 0; c < kTogether; ++c) {
      for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sum[c] += __shfl_xor_sync(~0u, sum[c], distance);
      }
      if (first + c < head.classes && lane == c) logits[first + c] = sum[c] + head.bias[first + c];
    }
  }
  __syncwarp();
}

__device__ uint32_t first_largest(const float* logits, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < count; ++c) {
    if (logits[c] > logits[best]) best = c;
  }
  return best;
}

__global__ void train(Head head, const float* hidden, const uint8_t* labels, uint32_t rows,
                      uint32_t batch_size, float scale, HeadResult result) {
  __shared__ float memory[kRowsEach][kMostClasses];
  const uint32_t lane = threadIdx.x % kWarp, row = blockIdx.x * kRowsEach + threadIdx.x / kWarp;
  if (row >= rows) return;
  hidden += size_t{row} * head.inputs;
  float* logits = memory[threadIdx.x / kWarp];
  find_logits(head, hidden, logits);

  const float largest = logits[first_largest(logits, head.classes)];
  float sum = 0;
  for (uint32_t c = 0; c < head.classes; ++c) sum += std::exp(logits[c] - largest);
  const uint32_t label = labels[row];
  if (lane == 0) {
    const float loss = std::log(sum) - (logits[label] - largest);
    result.losses[row] = loss;
    if (!std::isfinite(loss)) *result.halted = 1;
  }
  __syncwarp();
  for (uint32_t c = lane; c < head.classes; c += kWarp) {
    const float share = std::exp(logits[c] - largest) / sum;
    logits[c] = (share - (c == label ? 1.0f : 0.0f)) / static_cast<float>(batch_size);
    result.logit_gradients[size_t{row} * head.classes + c] = logits[c];
  }
  __syncwarp();
  for (uint32_t j = lane; j < head.inputs; j += kWarp) {
    float gradient = 0;
    for (uint32_t c = 0; c < head.classes; ++c)
      gradient += logits[c] * head.weights[size_t{j} * head.classes + c];
    result.hidden_gradients[size_t{row} * head.inputs + j] = hidden[j] > 0 ? gradient * scale : 0.0f;
  }
}

__global__ void count(Head head, const float* hidden, const uint8_t* labels, uint32_t rows,
                      unsigned* correct) {
  __shared__ float memory[kRowsEach][kMostClasses];
  const uint32_t row = blockIdx.x * kRowsEach + threadIdx.x / kWarp;
  if (row >= rows) return;
  float* logits = memory[threadIdx.x / kWarp];
  find_logits(head, hidden + size_t{row} * head.inputs, logits);
  if (threadIdx.x % kWarp == 0 && first_largest(logits, head.classes) == labels[row]) atomicAdd(correct, 1u);
}

}  // namespace

void train_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, uint32_t batch_size, float scale, const HeadResult& result) {
  launch(stream, train, blocks_for(rows, kRowsEach), kRowsEach * kWarp, head, hidden, labels, rows,
         batch_size, scale, result);
}

void count_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, unsigned* correct) {
  launch(stream, count, blocks_for(rows, kRowsEach), kRowsEach * kWarp, head, hidden, labels, rows, correct);
}

}  // namespace trainer::cuda
