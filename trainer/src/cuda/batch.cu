#include "cuda/batch.h"

#include "data/shift.h"

namespace trainer::cuda {

namespace {

__global__ void copy_rows(Gather g) {
  const uint32_t row = blockIdx.x, example = g.examples[row], pixels = g.image_rows * g.image_columns;
  const uint8_t* image = g.images + size_t{example} * pixels;
  float* to = g.to + size_t{row} * pixels;
  Shift shift;
  if (g.most_shift > 0) shift = shift_at(g.seed, *g.first_position + g.first_row + row, g.most_shift);
  for (uint32_t p = threadIdx.x; p < pixels; p += blockDim.x)
    to[p] = static_cast<float>(shifted_pixel(image, g.image_rows, g.image_columns, shift, p)) / 255.0f;
  if (threadIdx.x == 0) g.to_labels[row] = g.labels[example];
}

}  // namespace

void gather(const Stream& stream, const Gather& g) {
  if (g.rows > 0) launch(stream, copy_rows, g.rows, 128, g);
}

}  // namespace trainer::cuda
