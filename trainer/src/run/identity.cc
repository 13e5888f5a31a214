#include "run/identity.h"

#include <cstdio>
#include <limits>

#include "base/machine.h"

namespace trainer {

std::map<std::string, std::string> identity(const Options& options, const Dataset& data) {
  const auto exact = [](Real value) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", std::numeric_limits<Real>::max_digits10, double{value});
    return std::string(text);
  };
  return {{"model", "mlp"},
          {"seed", std::to_string(options.seed)},
          {"batch-size", std::to_string(options.batch_size)},
          {"hidden", std::to_string(options.hidden)},
          {"learning_rate", exact(options.learning_rate)},
          {"dropout", exact(options.keep)},
          {"data", data.name},
          {"data md5", data.md5},
          {"machine", machine_name()}};
}

Configuration configuration(const Options& options, const Dataset& data) {
  Configuration result = identity(options, data);
  result["max_steps"] = std::to_string(options.max_steps);
  result["checkpoint-every"] = std::to_string(options.checkpoint_every);
  result["fast"] = options.fast ? "on" : "off";
  return result;
}

}  // namespace trainer
