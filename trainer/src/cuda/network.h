#pragma once

#include <memory>

#include "cuda/memory.h"
#include "cuda/optimizer.h"
#include "cuda/precision.h"

namespace trainer::cuda {

/// The rows of an update's batch that belong to a piece, in GPU memory.
struct DevicePiece {
  const float* pixels;  ///< rows x pixels, from 0 to 1; not set if the network reads the images itself
  const uint8_t* labels;
  const uint8_t *images, *image_labels;  ///< all training images, a byte for each pixel, and their labels
  const uint32_t* examples;              ///< the index of the image of each row
  const uint32_t* bounds;                ///< bounds of the shards, as rows of the piece
  const uint32_t* host_bounds;           ///< the same bounds in host memory
  uint32_t rows, shards;
  uint32_t first_row;  ///< the row of the batch for row 0 of the piece
  uint32_t batch_size;
  const uint64_t* first_position;  ///< the batch's position in the run's stream of examples
};

/// The results of a piece: its part of the gradient of the batch's mean loss, and the losses of its rows.
struct DeviceGradient {
  float* gradient;
  float* losses;     ///< the losses, one for each row
  uint32_t* halted;  ///< the word that is set if a loss is not finite
};

/// Images to be classified, in GPU memory.
struct DeviceImages {
  const float* pixels;      ///< rows x pixels, from 0 to 1; not set if the network reads bytes
  const uint8_t* bytes;     ///< rows x pixels; only set if the network reads bytes
  const uint32_t* indexes;  ///< 0, 1, 2, ...
  const uint8_t* labels;
  uint32_t rows;
};

/// The arithmetic of a Model (model/model.h) on a GPU. Its functions put work into a stream and return at
/// once.
class Network {
 public:
  virtual ~Network() = default;
  /// Whether gradient() reads a piece's `images` instead of `pixels` and `labels`.
  virtual bool reads_images() const { return false; }
  virtual void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                        const DeviceGradient& result) = 0;
  /// Whether the network has the function move_by_adam().
  virtual bool moves_by_adam() const { return false; }
  /// Performs `count` updates: for each, computes the gradient and moves the parameters in `slice` by Adam.
  /// The piece must be the whole batch of the first update. The examples and losses of the later updates
  /// follow those of the first.
  virtual void move_by_adam(const Stream&, const DevicePiece&, const DeviceGradient&, const DeviceSlice&,
                            const Job* jobs, uint32_t count) {
    static_cast<void>(jobs), static_cast<void>(count);
  }
  /// Whether count_correct() reads the images' `bytes` instead of their `pixels`.
  virtual bool evaluates_bytes() const { return false; }
  /// Adds to `correct` the number of images that are classified correctly, without dropout.
  virtual void count_correct(const Stream& stream, const float* parameters, const DeviceImages& images,
                             unsigned* correct) = 0;
};

/// The settings of all networks. `most_rows` is the maximum number of rows in a piece.
struct NetworkPlan {
  uint32_t image_rows, image_columns, classes, hidden;
  float keep;
  uint64_t seed;
  uint32_t most_rows, batch_size;
  Precision precision;
  bool may_persist = true;  ///< whether one kernel may perform many updates, if it fits on the GPU
};

/// In how many parts a cnn adds up the inputs of its hidden layer.
constexpr uint32_t kCnnDenseParts = 16;

/// Throws Error (exit code 2) if the arrays of a cnn are too large for its kernels, which count in 32 bits.
void check_cnn_size(const NetworkPlan& plan);

std::unique_ptr<Network> make_mlp(const NetworkPlan& plan);
/// Requires fast_mlp_fits() (cuda/fast/fits.h).
std::unique_ptr<Network> make_fast_mlp(const NetworkPlan& plan);
std::unique_ptr<Network> make_cnn(const NetworkPlan& plan);
/// Requires fast_cnn_fits() (cuda/fast/fits.h).
std::unique_ptr<Network> make_fast_cnn(const NetworkPlan& plan);

}  // namespace trainer::cuda
