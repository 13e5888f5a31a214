#pragma once

#include <memory>

#include "cuda/memory.h"
#include "cuda/precision.h"

namespace trainer::cuda {

/// The rows of an update's batch that a piece is, in the GPU's memory.
struct DevicePiece {
  const float* pixels;  ///< rows x pixels, 0 to 1
  const uint8_t* labels;
  const uint32_t* bounds;  ///< of the shards: row numbers in the piece
  uint32_t rows, shards;
  uint32_t first_row;  ///< in the batch
  uint32_t batch_size;
  const uint64_t* first_position;  ///< the batch's place in the run's stream of examples
};

/// What a piece's rows add to the gradient of the batch's mean loss, and their losses, added.
struct DeviceGradient {
  float* gradient;
  double* loss;
  uint32_t* halted;  ///< set where the loss is not finite
};

/// A Model's (model/model.h) arithmetic on a GPU. Calls put work into a stream and return at once.
class Network {
 public:
  virtual ~Network() = default;
  virtual void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                        const DeviceGradient& result) = 0;
  /// Adds to `correct` how many of the images, rows x pixels, are classified rightly; no dropout.
  virtual void count_correct(const Stream& stream, const float* parameters, const float* images,
                             const uint8_t* labels, uint32_t rows, unsigned* correct) = 0;
};

/// Of what all networks are made; `most_rows` is the most of a piece.
struct NetworkPlan {
  uint32_t image_rows, image_columns, classes, hidden;
  float keep;
  uint64_t seed;
  uint32_t most_rows, batch_size;
  Precision precision;
};

std::unique_ptr<Network> make_mlp(const NetworkPlan& plan);
std::unique_ptr<Network> make_cnn(const NetworkPlan& plan);

}  // namespace trainer::cuda
