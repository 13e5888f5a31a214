#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace trainer::cuda {

/// The maximum number of classes. It is 256 because labels are bytes.
constexpr uint32_t kMostClasses = 256;

/// A network's last layer, softmax and cross-entropy. Always uses fp32, because its share of the work is
/// small.
struct Head {
  uint32_t inputs, classes;
  const float *weights, *bias;  ///< sizes: inputs x classes; classes
};

/// The results of the last layer for the rows of a piece.
struct HeadResult {
  float* losses;           ///< the losses, one for each row
  uint32_t* halted;        ///< the word that is set if a loss is not finite
  float* logit_gradients;  ///< rows x classes; for the mean loss of the whole batch
  /// rows x inputs; already passed back through the dropout and ReLU of the hidden values
  float* hidden_gradients;
};

/// `hidden` has rows x head.inputs values, after ReLU and dropout; `scale` is the scale of the dropout.
void train_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, uint32_t batch_size, float scale, const HeadResult& result);

/// Adds to `correct` the number of rows in which the label has the largest logit (or the first of several
/// equal ones).
void count_head(const Stream& stream, const Head& head, const float* hidden, const uint8_t* labels,
                uint32_t rows, unsigned* correct);

}  // namespace trainer::cuda
