#pragma once

#include <optional>

#include "model/convolution.h"
#include "model/model.h"

namespace trainer {

/// A small convolutional network: convolution to 32 planes, ReLU, convolution to 64, ReLU, max-pool 2, hidden
/// ReLU units with dropout, classes. Convolutions are 3 x 3 without padding. Planes have the layout of
/// Planes. Convolution weights are stored as [tap][from channel][to channel], so that [taps * from, to] is a
/// row-major matrix. With MNIST's images and 128 hidden units, the forward pass of an image takes 24 MFLOP,
/// and both passes together take 72.
///
/// Weights are initialized as in He et al., "Delving deep into rectifiers", 2015: deviation sqrt(2 / inputs
/// of a unit). The normal distribution is truncated at 2 sigma, and sigma is enlarged by 1 / 0.8796 to
/// compensate (as in TensorFlow's VarianceScaling). Biases start at 0.
class Cnn : public Model {
 public:
  static constexpr uint32_t kFirstPlanes = 32, kSecondPlanes = 64;
  static constexpr uint32_t kLeastSide = 6;  ///< the minimum width and height of an image, in pixels

  /// `keep` is the probability that dropout keeps a hidden unit's value in training; 1 disables it.
  Cnn(Shape shape, uint32_t hidden, Real keep, uint64_t seed, Parallel& parallel);

  std::vector<Real> initial_parameters() const override;
  double gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) override;
  void set_evaluation(const ImageList& images, std::span<const uint8_t> labels) override;
  uint32_t count_correct(std::span<const Real> parameters) override;
  std::vector<Real> logits(std::span<const Real> parameters, const uint8_t* image) override;
  Flop flop() const override;

 private:
  /// The activations of some images, one row for each.
  struct Values {
    std::vector<Real> first, pooled, hidden, logits;  ///< after ReLU; `hidden` also after dropout
    std::vector<uint8_t> which;                       ///< see max_pool
    void resize(const Cnn& model, size_t rows);
  };
  struct Shard {
    Values values;
    std::vector<Real> gradient;
    double loss = 0;
  };

  void forward(std::span<const Real> parameters, std::span<const uint8_t* const> images,
               std::optional<uint64_t> position, Values& values) const;
  void convolve(std::span<const Real> parameters, const uint8_t* image, Values& values, size_t row) const;
  void shard_gradient(std::span<const Real> parameters, const Piece& piece, size_t shard);
  void backward_convolutions(std::span<const Real> parameters, const uint8_t* image, Shard& shard, size_t row,
                             Real* pooled_gradient) const;
  /// The numbers of one tensor within an array of all parameters.
  template <typename Number>
  Number* part(std::span<Number> array, size_t tensor) const {
    return &array[tensors()[tensor].offset];
  }

  Planes image_, first_, second_, pooled_;
  uint32_t hidden_, classes_;
  Real keep_;
  uint64_t seed_;
  Parallel& parallel_;
  std::vector<Shard> shards_;
  ImageList test_images_;
  std::vector<uint8_t> test_labels_;
};

}  // namespace trainer
