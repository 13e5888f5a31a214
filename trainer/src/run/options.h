#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/real.h"
#include "data/dataset.h"
#include "run/device.h"

namespace trainer {

/// What the command line says. Defaults are those of TensorFlow's mnist_with_summaries.
struct Options {
  std::filesystem::path data;  ///< empty: where get-mnist puts the files
  Verify verify = Verify::automatic;
  uint64_t max_steps = 1000;
  Device device = Device::automatic;
  unsigned threads = 0;  ///< 0: as many as there are CPUs to use
  uint64_t seed = 1;
  uint32_t batch_size = 100;
  uint32_t hidden = 500;
  Real learning_rate = static_cast<Real>(0.001);
  Real keep = static_cast<Real>(0.9);    ///< probability that dropout keeps a hidden value
  bool single = false;                   ///< one process, whatever the environment says
  bool fast = false;                     ///< sum gradients around a ring, not in the exact order
  uint32_t meeting_timeout = 600;        ///< seconds for the ranks to find each other
  std::filesystem::path checkpoint_dir;  ///< empty: no checkpoints
  uint64_t checkpoint_every = 100;       ///< steps; 0: only when the run ends or is stopped
  std::string metrics;                   ///< file for JSON lines; "-": stdout; empty: none
  bool help = false;
  bool version = false;
};

/// Reads the arguments after the program's name: `--name value` or `--name=value`, with `-` and `_` alike in
/// names. Throws Error (exit code 2) for an unknown flag, with the nearest right name, and for a bad value.
Options parse_options(std::span<const char* const> arguments);

std::string help_text();

}  // namespace trainer
