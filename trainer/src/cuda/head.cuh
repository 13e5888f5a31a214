#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace trainer::cuda {

/// Most classes: labels are bytes.
constexpr uint32_t kMostClasses = 256;

/// A network's last layer, softmax and cross-entropy. In fp32 whatever the precision of the others: its share
/// of the work is small.
struct Head {
  uint32_t inputs, classes;
  const float *weights, *bias;  ///< inputs x classes, classes
};

/// What the last layer makes of the hidden values of a piece's rows.
struct HeadResult {
  float* losses;            ///< of each row
  float* logit_gradients;   ///< rows x classes, of the mean loss of the whole batch
  float* hidden_gradients;  ///< rows x inputs, before the hidden values' dropout and ReLU
};

/// `hidden`: rows x head.inputs, after ReLU and dropout, whose scale is `scale`.
void train_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, uint32_t batch_size, float scale, const HeadResult& result);

/// Adds to `correct` the rows whose label has the (first) largest logit.
void count_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, unsigned* correct);

/// Adds up the losses within the shards, and those pairwise. Where `sum` then is not finite, sets `halted`.
void sum_losses(const Stream& stream, const float* losses, const uint32_t* bounds, uint32_t shards,
                double* sum, uint32_t* halted);

}  // namespace trainer::cuda
