#include "cuda/batch.h"

namespace trainer::cuda {

namespace {

__global__ void copy_rows(Gather g) {
  const uint32_t row = blockIdx.x, example = g.examples[row];
  const uint8_t* image = g.images + size_t{example} * g.pixels;
  float* to = g.to + size_t{row} * g.pixels;
  for (uint32_t p = threadIdx.x; p < g.pixels; p += blockDim.x) to[p] = static_cast<float>(image[p]) / 255.0f;
  if (threadIdx.x == 0) g.to_labels[row] = g.labels[example];
}

}  // namespace

void gather(const Stream& stream, const Gather& g) {
  if (g.rows > 0) launch(stream, copy_rows, g.rows, 128, g);
}

}  // namespace trainer::cuda
