#include "model/optimizer.h"

#include <utility>

namespace trainer {

State initial_state(std::vector<Real> parameters, const Optimizer& optimizer) {
  State state;
  state.moments.assign(optimizer.moments().size(), std::vector<Real>(parameters.size()));
  state.parameters = std::move(parameters);
  return state;
}

}  // namespace trainer
