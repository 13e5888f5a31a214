#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/training.h"

/// The interface of the GPU code for the rest of the program. A build without CUDA has the same interface,
/// and finds no GPU.
namespace trainer::cuda {

/// The GPU that this process will use: the one with the local rank's number among those that the process may
/// use (CUDA_VISIBLE_DEVICES). If these are too few, ranks share them. If the process has no usable GPU, the
/// name is empty, and `why` and `fix` are set.
struct Gpu {
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::string why, fix;
  size_t block_shared = 0;  ///< the largest shared memory of a block, in bytes
};
Gpu choose_gpu(unsigned local_rank);

/// An address that identifies this process's GPU among all GPUs of all hosts.
std::string gpu_address();

/// Makes the training that uses the GPU. Throws Error.
std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal);

}  // namespace trainer::cuda
