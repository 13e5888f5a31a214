#pragma once

#include <cstdint>

#include "cuda/memory.h"

namespace trainer::cuda {

/// Copies the images that `examples` lists, as rows of a matrix with bytes 0 … 255 converted to 0 … 1, and
/// their labels. `images` has all images of a data set, a byte for each pixel.
struct Gather {
  const uint8_t *images, *labels;
  const uint32_t* examples;
  uint32_t rows, pixels;
  float* to;
  uint8_t* to_labels;
};
void gather(const Stream& stream, const Gather& gather);

}  // namespace trainer::cuda
