#pragma once

#include <cstdint>
#include <vector>

namespace trainer {

/// All that a run carries from one step to the next. The arrays have the layout of the model's tensors.
struct State {
  uint64_t step = 0;     ///< the next step to do
  uint64_t updates = 0;  ///< updates done
  std::vector<float> parameters, first_moment, second_moment;
};

}  // namespace trainer
