#pragma once

#include <memory>

#include "cuda/memory.h"
#include "cuda/optimizer.h"
#include "cuda/precision.h"

namespace trainer::cuda {

/// The rows of an update's batch that belong to a piece, in the GPU's memory.
struct DevicePiece {
  const float* pixels;  ///< rows x pixels, 0 to 1; not set if the network reads the images
  const uint8_t* labels;
  const uint8_t *images, *image_labels;  ///< all training images, a byte for each pixel, and their labels
  const uint32_t* examples;              ///< the image of each row
  const uint32_t* bounds;                ///< bounds of the shards, as rows of the piece
  const uint32_t* host_bounds;           ///< the same in the host's memory
  uint32_t rows, shards;
  uint32_t first_row;  ///< the row of the batch that is row 0 of the piece
  uint32_t batch_size;
  const uint64_t* first_position;  ///< the batch's position in the run's stream of examples
};

/// The part of a piece in the gradient of the batch's mean loss, and the losses of its rows.
struct DeviceGradient {
  float* gradient;
  float* losses;     ///< one for each row
  uint32_t* halted;  ///< set if a loss is not finite
};

/// The arithmetic of a Model (model/model.h) on a GPU. Its functions put work into a stream and return at
/// once.
class Network {
 public:
  virtual ~Network() = default;
  /// Whether gradient() reads `images` instead of `pixels` and `labels` of a piece.
  virtual bool reads_images() const { return false; }
  virtual void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                        const DeviceGradient& result) = 0;
  /// Whether it has move_by_adam().
  virtual bool moves_by_adam() const { return false; }
  /// Performs `count` updates: for each, computes the gradient and moves the parameters, `slice`, by Adam.
  /// The piece is the first update's whole batch; the examples and losses of the next ones follow its own.
  virtual void move_by_adam(const Stream&, const DevicePiece&, const DeviceGradient&, const DeviceSlice&,
                            const Job* jobs, uint32_t count) {
    static_cast<void>(jobs), static_cast<void>(count);
  }
  /// Adds to `correct` the number of images that are classified correctly, without dropout. `images` has rows
  /// x pixels.
  virtual void count_correct(const Stream& stream, const float* parameters, const float* images,
                             const uint8_t* labels, uint32_t rows, unsigned* correct) = 0;
};

/// The settings of all networks. `most_rows` is the maximum number of rows in a piece.
struct NetworkPlan {
  uint32_t image_rows, image_columns, classes, hidden;
  float keep;
  uint64_t seed;
  uint32_t most_rows, batch_size;
  Precision precision;
  bool may_persist = true;  ///< whether one kernel may perform many updates, if the GPU can hold it
};

/// The number of parts in which a cnn adds up the inputs of its hidden layer.
constexpr uint32_t kCnnDenseParts = 16;

/// The kernels of a cnn count in 32 bits. Throws Error (exit code 2) if that is not enough for its arrays.
void check_cnn_size(const NetworkPlan& plan);

std::unique_ptr<Network> make_mlp(const NetworkPlan& plan);
/// Requires fast_mlp_fits() (cuda/fast/fits.h).
std::unique_ptr<Network> make_fast_mlp(const NetworkPlan& plan);
std::unique_ptr<Network> make_cnn(const NetworkPlan& plan);
/// Requires fast_cnn_fits() (cuda/fast/fits.h).
std::unique_ptr<Network> make_fast_cnn(const NetworkPlan& plan);

}  // namespace trainer::cuda
