#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/real.h"
#include "cuda/precision.h"
#include "data/dataset.h"
#include "model/schedule.h"
#include "run/device.h"

namespace trainer {

enum class ModelKind { mlp, cnn };
/// How ranks with GPUs exchange their gradients.
enum class Transport { automatic, tcp, nccl };
enum class OptimizerKind { adam, sgd };
/// The kernels that a GPU runs: the fast ones where they fit, the fast ones except the one that performs many
/// updates, or always the plain ones.
enum class Kernels { fast, three, plain };

/// The options on the command line. The defaults are those of TensorFlow's mnist_with_summaries.
struct Options {
  std::filesystem::path
      data;  ///< the folder with the data; empty means the folder where get-mnist stores the files
  Verify verify = Verify::automatic;
  uint64_t max_steps = 1000;
  Device device = Device::automatic;
  std::string gpu;          ///< the name of the GPU, if `device` is cuda
  size_t block_shared = 0;  ///< the largest shared memory that a block on it can have, in bytes
  Precision precision = Precision::fp32;
  Kernels kernels = Kernels::fast;
  Transport transport = Transport::automatic;
  /// each step whose number is a multiple of this evaluates instead of training; 0 means none
  uint64_t evaluate_every = 10;
  unsigned threads = 0;  ///< 0 means the number of usable CPUs
  uint64_t seed = 1;
  uint32_t batch_size = 100;
  uint32_t shift = 0;  ///< the maximum number of pixels by which training images are moved
  ModelKind model = ModelKind::mlp;
  uint32_t hidden = 0;  ///< 0: see hidden_units()
  OptimizerKind optimizer = OptimizerKind::adam;
  std::optional<Real> learning_rate;  ///< the learning rate; if it is not set, see rate()
  Real momentum = static_cast<Real>(0.9);
  bool nesterov = false;
  Schedule::Kind schedule = Schedule::Kind::constant;
  uint64_t warm_up = 0;                ///< updates
  uint64_t schedule_updates = 0;       ///< 0 means the number of updates in max_steps
  Real keep = static_cast<Real>(0.9);  ///< the probability that dropout keeps a hidden value
  bool single = false;                 ///< trains in one process, whatever the environment says
  bool fast = false;                   ///< sums gradients around a ring instead of in the exact order
  uint32_t meeting_timeout = 600;      ///< how many seconds ranks wait to find each other
  /// the number of seconds after which a silent rank is considered lost; 0 means never
  uint32_t stall_timeout = 0;
  std::filesystem::path
      checkpoint_dir;  ///< the folder for checkpoints; empty means that no checkpoints are written
  uint64_t checkpoint_every =
      100;  ///< the number of steps between checkpoints; 0 means only when the run ends or is stopped
  std::string metrics;            ///< the file for JSON lines; "-" means stdout, and empty means none
  uint32_t progress_every = 10;   ///< the number of seconds between lines of progress
  std::filesystem::path predict;  ///< a picture to classify; empty means none
  std::optional<uint16_t> serve;  ///< the port at which requests are answered
  std::string serve_address = "127.0.0.1";
  bool help = false;
  bool version = false;

  uint32_t hidden_units() const { return hidden ? hidden : model == ModelKind::mlp ? 500 : 128; }
  Real rate() const {
    return learning_rate.value_or(static_cast<Real>(optimizer == OptimizerKind::adam ? 0.001 : 0.05));
  }
};

/// Parses the arguments after the program's name: `--name value` or `--name=value`. `-` and `_` are
/// equivalent in names. Throws Error (exit code 2) for an unknown flag, with the nearest name, and for a bad
/// value.
Options parse_options(std::span<const char* const> arguments);

std::string help_text();

}  // namespace trainer
