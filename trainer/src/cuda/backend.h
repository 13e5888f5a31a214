#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/training.h"

/// What the rest of the program knows of GPUs. A build without CUDA has it too, and finds none.
namespace trainer::cuda {

/// The GPU that this process will compute on: the local rank's, of those that it may see
/// (CUDA_VISIBLE_DEVICES). Empty, with the reason and what to do about it, where there is none.
struct Gpu {
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::string why, fix;
};
Gpu choose_gpu(unsigned local_rank);

/// What no other GPU is called, on no host.
std::string gpu_address();

/// Training on it. Throws Error.
std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal);

}  // namespace trainer::cuda
