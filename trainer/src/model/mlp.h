#pragma once

#include "model/model.h"
#include "model/sparse.h"

namespace trainer {

/// The network of TensorFlow's mnist_with_summaries: pixels - hidden ReLU units with dropout - classes.
/// Weights start with a truncated normal distribution (sigma 0.1), biases with 0.1.
class Mlp : public Model {
 public:
  /// `keep` is the probability that dropout keeps a hidden unit's value in training; 1 disables it.
  Mlp(Shape shape, uint32_t hidden, Real keep, uint64_t seed, Parallel& parallel);

  std::vector<Real> initial_parameters() const override;
  double gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) override;
  void set_evaluation(const ImageList& images, std::span<const uint8_t> labels) override;
  uint32_t count_correct(std::span<const Real> parameters) override;
  std::vector<Real> logits(std::span<const Real> parameters, const uint8_t* image) override;
  Flop flop() const override;

 private:
  struct Shard {
    std::vector<Real> small_gradients;  ///< the gradients of all parameters except the first tensor
    double loss = 0;
  };

  void load_weights(std::span<const Real> parameters);
  void forward(std::span<const Real> parameters, const SparseRows& images, uint32_t first, uint32_t last,
               Real* hidden, Real* logits, uint64_t first_position, bool training);
  void shard_gradient(std::span<const Real> parameters, const Piece& piece, const SparseRows& images,
                      size_t shard);

  uint32_t pixels_, hidden_, classes_, stride_;  ///< stride_ is the distance between rows of hidden values
  Real keep_;
  uint64_t seed_;
  Parallel& parallel_;
  Tiles weights_;  ///< the hidden layer's weights, in the layout for the products
  std::vector<Shard> shards_;
  std::vector<Real> hidden_values_, hidden_gradients_;
  SparseRows test_images_;
  std::vector<uint8_t> test_labels_;
};

}  // namespace trainer
