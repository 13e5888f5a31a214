#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/real.h"
#include "model/tensors.h"

namespace trainer {

/// The inputs and outputs of a network: the size of its images, and the number of classes.
struct Shape {
  uint32_t rows = 0, columns = 0;  ///< the size of an image, which has a byte for each pixel
  uint32_t classes = 0;

  uint32_t pixels() const { return rows * columns; }
};

/// Pointers to images, each with shape.pixels() bytes, row by row. The list does not own them.
using ImageList = std::vector<const uint8_t*>;

/// Some consecutive rows of an update's batch: 1, 2, 4 or 8 of its shards.
struct Piece {
  ImageList images;
  std::vector<uint8_t> moved;  ///< the pixels that `images` points to, if --shift moves the images
  std::vector<uint8_t> labels;
  /// the first row of each shard in the piece, and at the end its number of rows
  std::vector<uint32_t> bounds;
  uint64_t first_position = 0;  ///< the position of the first row in the run's stream of examples
  uint32_t batch_size = 0;      ///< number of rows in the whole batch, for the mean
};

/// The floating-point operations for one example, if none is skipped: two for each multiplication in a matrix
/// product or convolution. Other operations are not counted.
struct Flop {
  double training = 0;    ///< the number for the forward pass, and for the backward pass to all weights
  double evaluation = 0;  ///< forward only
};

/// A network for images that ends in softmax and cross-entropy. The caller owns its parameters, in one flat
/// array, which tensors() describes. Results do not depend on the number of threads.
class Model {
 public:
  virtual ~Model() = default;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  size_t parameter_count() const { return tensors_.back().offset + tensors_.back().size; }

  virtual std::vector<Real> initial_parameters() const = 0;

  /// Returns the summed loss of a piece's rows, and computes their part of the gradient of the batch's mean
  /// loss with respect to all parameters. Sums within each shard, then adds the shards pairwise (pairwise.h).
  virtual double gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) = 0;

  /// Sets the images for count_correct(). They must outlive the model; the labels are copied.
  virtual void set_evaluation(const ImageList& images, std::span<const uint8_t> labels) = 0;

  /// How many of these images are classified correctly, without dropout. Computes blocks of kEvaluationBlock
  /// images separately, starting with the first image.
  virtual uint32_t count_correct(std::span<const Real> parameters) = 0;
  /// The number of images in a block, small enough for the hidden values to stay in the cache.
  static constexpr uint32_t kEvaluationBlock = 100;

  /// The values that softmax turns into the probabilities of an image's classes, without dropout.
  virtual std::vector<Real> logits(std::span<const Real> parameters, const uint8_t* image) = 0;

  virtual Flop flop() const = 0;

 protected:
  /// Appends a tensor to tensors().
  void add_tensor(std::string name, std::vector<size_t> shape);

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace trainer
