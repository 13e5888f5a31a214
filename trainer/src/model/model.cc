#include "model/model.h"

#include <functional>
#include <numeric>
#include <utility>

namespace trainer {

void Model::add_tensor(std::string name, std::vector<size_t> shape) {
  const size_t offset = tensors_.empty() ? 0 : parameter_count();
  const size_t size = std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>());
  tensors_.push_back({std::move(name), std::move(shape), offset, size});
}

}  // namespace trainer
