#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trainer {

/// One named, row-major array within the flat array of all parameters of a model. Gradients and the
/// optimizer's moments have the same layout.
struct Tensor {
  std::string name;
  std::vector<size_t> shape;
  size_t offset;  ///< in floats
  size_t size;    ///< the number of floats: the product of `shape`
};

}  // namespace trainer
