#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/real.h"
#include "model/tensors.h"

namespace trainer {

/// What goes into a network, and how many classes come out of it.
struct Shape {
  uint32_t rows = 0, columns = 0;  ///< of an image, a byte a pixel
  uint32_t classes = 0;

  uint32_t pixels() const { return rows * columns; }
};

/// Images in memory, each of shape.pixels() bytes, row by row. They belong to someone else.
using ImageList = std::vector<const uint8_t*>;

/// Some consecutive rows of an update's batch: 1, 2, 4 or 8 of its shards.
struct Piece {
  ImageList images;
  std::vector<uint8_t> labels;
  std::vector<uint32_t> bounds;  ///< of the shards: row numbers in the piece, first 0, last its size
  uint64_t first_position = 0;   ///< its first row's place in the run's stream of examples: dropout's key
  uint32_t batch_size = 0;       ///< rows of the whole batch, by which the mean divides
};

/// Floating-point operations that an example takes where nothing is skipped: two for each product of a matrix
/// product or convolution, the rest not counted.
struct Flop {
  double training = 0;    ///< forward, and backward to all weights
  double evaluation = 0;  ///< forward
};

/// A network for images, with softmax and cross-entropy at its end. Its parameters live with the caller, in
/// one flat array described by tensors(). Results do not depend on the number of threads.
class Model {
 public:
  virtual ~Model() = default;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  size_t parameter_count() const { return tensors_.back().offset + tensors_.back().size; }

  virtual std::vector<Real> initial_parameters() const = 0;

  /// The summed loss of a piece's rows, and their part of the gradient of the batch's mean loss with respect
  /// to all parameters. Sums within each shard, then adds the shards pairwise (pairwise.h).
  virtual double gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) = 0;

  /// The images that count_correct() is about. They must outlive the model; the labels are copied.
  virtual void set_evaluation(const ImageList& images, std::span<const uint8_t> labels) = 0;

  /// The number of these images that are classified correctly, without dropout. Computes blocks of
  /// kEvaluationBlock images separately, from the first on.
  virtual uint32_t count_correct(std::span<const Real> parameters) = 0;
  /// Few enough that their hidden values stay in the cache.
  static constexpr uint32_t kEvaluationBlock = 100;

  virtual Flop flop() const = 0;

 protected:
  /// Appends one to tensors(), behind the others.
  void add_tensor(std::string name, std::vector<size_t> shape);

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace trainer
