#include "cuda/network.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.h"
#include "model/cnn.h"

namespace trainer::cuda {

void check_cnn_size(const NetworkPlan& plan) {
  constexpr uint64_t kIndexes = uint64_t{1} << 32;
  const uint64_t first = uint64_t{plan.image_rows - 2} * (plan.image_columns - 2) * Cnn::kFirstPlanes,
                 inputs = uint64_t{plan.image_rows - 4} * (plan.image_columns - 4) / 4 * Cnn::kSecondPlanes;
  const std::string images =
      "images of " + std::to_string(plan.image_rows) + " x " + std::to_string(plan.image_columns) + " pixels";
  if (const uint64_t most = (kIndexes - 1) / inputs - 1; plan.hidden > most) {
    throw Error("--hidden " + std::to_string(plan.hidden) + " is too large for a cnn on a GPU",
                "with " + images + ", the cnn can have " + std::to_string(most) + " hidden units", "", 2);
  }
  const uint64_t values = std::max(first, uint64_t{kCnnDenseParts} * plan.hidden);
  if (const uint64_t most = (kIndexes - 1) / values; plan.most_rows > most) {
    throw Error("the batch is too large for a cnn on a GPU",
                "a GPU can train on " + std::to_string(most) + " " + images + " at a time, not on " +
                    std::to_string(plan.most_rows),
                "lower --batch-size, or use more GPUs", 2);
  }
}

}  // namespace trainer::cuda
