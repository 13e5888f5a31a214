#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/real.h"
#include "model/tensors.h"

namespace trainer {

/// All that a run carries from one step to the next. The arrays have the layout of the model's tensors.
struct State {
  uint64_t step = 0;     ///< the next step to do
  uint64_t updates = 0;  ///< updates done
  std::vector<Real> parameters;
  std::vector<std::vector<Real>> moments;  ///< in the order of Optimizer::moments()
};

/// What is in the arrays of a state.
struct StateLayout {
  std::vector<Tensor> tensors;
  std::vector<std::string> moments;  ///< their names
};

}  // namespace trainer
