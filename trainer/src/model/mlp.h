#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "model/sparse.h"
#include "model/tensors.h"

namespace trainer {

/// Each batch is cut into this many shards. Every sum over a batch is a sum over the shards, in their order,
/// of sums within a shard, so that its bits do not depend on who computes which shard: a thread today, a rank
/// later.
constexpr uint32_t kShards = 8;

/// Examples of one update. `positions` are their places in the run's stream of examples (the key of dropout).
struct Batch {
  SparseRows images;
  std::vector<uint8_t> labels;
  uint64_t first_position = 0;

  uint32_t size() const { return static_cast<uint32_t>(labels.size()); }
};

/// The network of TensorFlow's mnist_with_summaries: pixels - hidden ReLU units with dropout - 10 classes,
/// softmax and cross-entropy. Parameters live with the caller, in one flat array described by tensors().
class Mlp {
 public:
  static constexpr uint32_t kClasses = 10;

  /// `keep`: probability that dropout keeps a hidden unit's value in training; 1 switches it off.
  Mlp(uint32_t pixels, uint32_t hidden, float keep, uint64_t seed, Parallel& parallel);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  size_t parameter_count() const { return tensors_.back().offset + tensors_.back().size; }

  /// Weights from a truncated normal distribution (sigma 0.1), biases 0.1.
  std::vector<float> initial_parameters() const;

  /// The mean loss of a batch, and its gradient with respect to all parameters.
  double gradient(std::span<const float> parameters, const Batch& batch, std::span<float> gradient);

  /// How many images are classified rightly; no dropout.
  uint32_t count_correct(std::span<const float> parameters, const SparseRows& images,
                         std::span<const uint8_t> labels);

 private:
  struct Shard {
    std::vector<float> small_gradients;  ///< of all parameters but the first tensor
    double loss = 0;
  };

  void load_weights(std::span<const float> parameters);
  void forward(std::span<const float> parameters, const SparseRows& images, uint32_t first, uint32_t last,
               float* hidden, float* logits, uint64_t first_position, bool training);
  void shard_gradient(std::span<const float> parameters, const Batch& batch, uint32_t shard);

  uint32_t pixels_, hidden_, stride_;  ///< stride_: floats between rows of hidden values
  float keep_;
  uint64_t seed_;
  Parallel& parallel_;
  std::vector<Tensor> tensors_;
  Tiles weights_;  ///< the hidden layer's, as the products want them
  std::array<Shard, kShards> shards_;
  std::vector<float> hidden_values_, hidden_gradients_;
};

/// Bounds of the shards: shard s of a batch of `size` rows is [size * s / 8, size * (s + 1) / 8).
std::array<uint32_t, kShards + 1> shard_bounds(uint32_t size);

}  // namespace trainer
