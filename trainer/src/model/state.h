#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/real.h"
#include "model/tensors.h"

namespace trainer {

/// All data that a run passes from one step to the next. The arrays have the layout of the model's tensors.
struct State {
  uint64_t step = 0;     ///< the next step
  uint64_t updates = 0;  ///< number of completed updates
  std::vector<Real> parameters;
  std::vector<std::vector<Real>> moments;  ///< the optimizer's moments, in the order of Optimizer::moments()
};

/// The meaning of a state's arrays.
struct StateLayout {
  std::vector<Tensor> tensors;
  std::vector<std::string> moments;  ///< their names
};

}  // namespace trainer
