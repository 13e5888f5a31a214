#include "run/training.h"

#include <utility>

#include "cuda/backend.h"
#include "run/host_training.h"

namespace trainer {

std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal) {
  if (options.device == Device::cuda) {
    return cuda::make_training(options, data, parallel, communicator, std::move(stop_signal));
  }
  return std::make_unique<HostTraining>(options, data, parallel, communicator, std::move(stop_signal));
}

}  // namespace trainer
