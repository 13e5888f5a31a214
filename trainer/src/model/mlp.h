#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "model/sparse.h"
#include "model/tensors.h"

namespace trainer {

/// Some consecutive rows of an update's batch: 1, 2, 4 or 8 of its shards.
struct Piece {
  SparseRows images;
  std::vector<uint8_t> labels;
  std::vector<uint32_t> bounds;  ///< of the shards: row numbers in the piece, first 0, last its size
  uint64_t first_position = 0;   ///< its first row's place in the run's stream of examples: dropout's key
  uint32_t batch_size = 0;       ///< rows of the whole batch, by which the mean divides
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

  /// The losses of a piece's rows, added, and what they add to the gradient of the batch's mean loss with
  /// respect to all parameters. Sums are made within each shard, and then added pairwise (pairwise.h).
  double gradient(std::span<const float> parameters, const Piece& piece, std::span<float> gradient);

  /// How many images are classified rightly; no dropout. Blocks of kEvaluationBlock images are computed by
  /// themselves, from the first on.
  uint32_t count_correct(std::span<const float> parameters, const SparseRows& images,
                         std::span<const uint8_t> labels);
  /// Few enough that their hidden values stay in the cache.
  static constexpr uint32_t kEvaluationBlock = 100;

 private:
  struct Shard {
    std::vector<float> small_gradients;  ///< of all parameters but the first tensor
    double loss = 0;
  };

  void load_weights(std::span<const float> parameters);
  void forward(std::span<const float> parameters, const SparseRows& images, uint32_t first, uint32_t last,
               float* hidden, float* logits, uint64_t first_position, bool training);
  void shard_gradient(std::span<const float> parameters, const Piece& piece, size_t shard);

  uint32_t pixels_, hidden_, stride_;  ///< stride_: floats between rows of hidden values
  float keep_;
  uint64_t seed_;
  Parallel& parallel_;
  std::vector<Tensor> tensors_;
  Tiles weights_;  ///< the hidden layer's, as the products want them
  std::vector<Shard> shards_;
  std::vector<float> hidden_values_, hidden_gradients_;
};

}  // namespace trainer
