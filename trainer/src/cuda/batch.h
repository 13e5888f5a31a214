#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace trainer::cuda {

/// The images that `examples` names, as the rows of a matrix, bytes 0 … 255 as 0 … 1, and their labels.
/// `images` are all of a data set, a byte a pixel.
struct Gather {
  const uint8_t *images, *labels;
  const uint32_t* examples;
  uint32_t rows, pixels;
  float* to;
  uint8_t* to_labels;
};
void gather(const Stream& stream, const Gather& gather);

}  // namespace trainer::cuda
