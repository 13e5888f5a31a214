// Replaces the other files of this folder if the program is built without CUDA.

#include "base/error.h"
#include "cuda/backend.h"

namespace trainer::cuda {

Gpu choose_gpu(unsigned) {
  return {"", "this kml-trainer was built without CUDA",
          "build it with nvcc (trainer/get-cuda downloads it), or pass --device=cpu or auto"};
}

// NOLINTBEGIN(performance-unnecessary-value-param): declared as with CUDA, where it is kept
std::unique_ptr<Training> make_training(const Options&, const Dataset&, Parallel&, Communicator&,
                                        std::function<int()>) {
  throw Error("--device=cuda", choose_gpu(0).why, choose_gpu(0).fix, 2);
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace trainer::cuda
