#include "run/parts.h"

#include "model/adam.h"
#include "model/mlp.h"

namespace trainer {

std::unique_ptr<Model> make_model(const Options& options, const Dataset& data, Parallel& parallel) {
  return std::make_unique<Mlp>(data.shape(), options.hidden, options.keep, options.seed, parallel);
}

std::unique_ptr<Optimizer> make_optimizer(const Options&) {
  return std::make_unique<Adam>();
}

}  // namespace trainer
