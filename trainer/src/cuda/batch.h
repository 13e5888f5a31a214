#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace trainer::cuda {

/// Copies the images whose numbers are in `examples`, as rows of a matrix with bytes 0 … 255 converted to 0 …
/// 1, and their labels. `images` has all images of a data set, with a byte for each pixel. If `most_shift` is
/// set, moves each image by its shift_at() (data/shift.h).
struct Gather {
  const uint8_t *images, *labels;
  const uint32_t* examples;
  uint32_t rows, image_rows, image_columns;
  float* to;
  uint8_t* to_labels;
  uint32_t most_shift = 0;
  uint64_t seed = 0;
  const uint64_t* first_position = nullptr;  ///< the batch's position in the run's stream of examples
  uint32_t first_row = 0;                    ///< the row of the batch for the first of `examples`
};
void gather(const Stream& stream, const Gather& gather);

}  // namespace trainer::cuda
