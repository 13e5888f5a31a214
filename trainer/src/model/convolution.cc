#include "model/convolution.h"

#include <algorithm>
#include <cstring>

#include "base/vectorize.h"

namespace trainer {

void unfold(const Real* planes, Planes shape, Real* patches) {
  const size_t line = size_t{shape.columns} * shape.channels, width = size_t{3} * shape.channels;
  for (uint32_t row = 0; row + 2 < shape.rows; ++row) {
    for (uint32_t column = 0; column + 2 < shape.columns; ++column) {
      const Real* corner = planes + row * line + size_t{column} * shape.channels;
      for (int y = 0; y < 3; ++y, patches += width) {
        std::memcpy(patches, corner + static_cast<size_t>(y) * line, width * sizeof(Real));
      }
    }
  }
}

KML_VECTORIZE
void fold(const Real* __restrict patches, Planes shape, Real* __restrict planes) {
  const size_t line = size_t{shape.columns} * shape.channels, width = size_t{3} * shape.channels;
  std::fill_n(planes, shape.size(), Real{0});
  for (uint32_t row = 0; row + 2 < shape.rows; ++row) {
    for (uint32_t column = 0; column + 2 < shape.columns; ++column) {
      Real* corner = planes + row * line + size_t{column} * shape.channels;
      for (int y = 0; y < 3; ++y, patches += width, corner += line) {
        for (size_t i = 0; i < width; ++i) corner[i] += patches[i];
      }
    }
  }
}

KML_VECTORIZE
void max_pool(const Real* __restrict planes, Planes shape, Real* __restrict pooled,
              uint8_t* __restrict which) {
  const Planes to = shape.pooled();
  const size_t line = size_t{shape.columns} * shape.channels;
  for (uint32_t row = 0; row < to.rows; ++row) {
    for (uint32_t column = 0; column < to.columns; ++column) {
      const Real* upper = planes + 2 * row * line + size_t{2} * column * shape.channels;
      const Real* lower = upper + line;
      for (uint32_t c = 0; c < shape.channels; ++c) {
        Real largest = upper[c];
        uint8_t place = 0;
        const Real others[] = {upper[c + shape.channels], lower[c], lower[c + shape.channels]};
        for (uint8_t i = 0; i < 3; ++i) {
          place = others[i] > largest ? static_cast<uint8_t>(i + 1) : place;
          largest = std::max(largest, others[i]);
        }
        pooled[c] = largest;
        which[c] = place;
      }
      pooled += shape.channels;
      which += shape.channels;
    }
  }
}

KML_VECTORIZE
void max_unpool(const Real* __restrict pooled, const uint8_t* __restrict which, Planes shape,
                Real* __restrict planes) {
  const Planes from = shape.pooled();
  const size_t line = size_t{shape.columns} * shape.channels;
  if (shape.rows % 2 != 0 || shape.columns % 2 != 0) std::fill_n(planes, shape.size(), Real{0});
  for (uint32_t row = 0; row < from.rows; ++row) {
    for (uint32_t column = 0; column < from.columns; ++column) {
      Real* upper = planes + 2 * row * line + size_t{2} * column * shape.channels;
      Real* lower = upper + line;
      for (uint32_t c = 0; c < shape.channels; ++c) {
        upper[c] = which[c] == 0 ? pooled[c] : Real{0};
        upper[c + shape.channels] = which[c] == 1 ? pooled[c] : Real{0};
        lower[c] = which[c] == 2 ? pooled[c] : Real{0};
        lower[c + shape.channels] = which[c] == 3 ? pooled[c] : Real{0};
      }
      pooled += shape.channels;
      which += shape.channels;
    }
  }
}

}  // namespace trainer
