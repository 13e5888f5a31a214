#include "run/identity.h"

#include "base/machine.h"
#include "run/parts.h"

namespace trainer {

std::map<std::string, std::string> identity(const Options& options, const Dataset& data) {
  const std::string machine = options.device == Device::cuda
                                  ? options.gpu + ", " + precision_name(options.precision) +
                                        (uses_fast_kernels(options, data.shape()) ? ", fast kernels" : "")
                                  : machine_name();
  return {{"model", model_name(options)},
          {"optimizer", optimizer_name(options)},
          {"schedule", schedule_name(options)},
          {"evaluate-every", std::to_string(options.evaluate_every)},
          {"seed", std::to_string(options.seed)},
          {"batch-size", std::to_string(options.batch_size)},
          {"shift", std::to_string(options.shift)},
          {"hidden", std::to_string(options.hidden_units())},
          {"learning_rate", exact(options.rate())},
          {"dropout", exact(options.keep)},
          {"data", data.name},
          {"data md5", data.md5},
          {"machine", machine}};
}

Configuration configuration(const Options& options, const Dataset& data) {
  Configuration result = identity(options, data);
  result["max_steps"] = std::to_string(options.max_steps);
  result["checkpoint-every"] = std::to_string(options.checkpoint_every);
  result["device"] = device_name(options.device);
  result["precision"] = precision_name(options.precision);
  result["communicator"] = options.transport == Transport::nccl  ? "nccl"
                           : options.transport == Transport::tcp ? "tcp"
                                                                 : "auto";
  result["fast"] = options.fast ? "on" : "off";
  return result;
}

}  // namespace trainer
