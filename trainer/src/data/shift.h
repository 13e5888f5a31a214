#pragma once

#include <cstdint>

#include "base/philox.h"

namespace trainer {

/// How many pixels an image is moved down and to the right. Negative numbers move it up and to the left.
struct Shift {
  int32_t down = 0, right = 0;
};

/// The shift of the image at a position in the run's stream of examples: in each direction, every whole
/// number from -most to most is equally likely.
constexpr Shift shift_at(uint64_t seed, uint64_t position, uint32_t most) {
  const auto words = draw(seed, Purpose::shift, position, 0);
  const auto pixels = [most](uint32_t word) {
    return static_cast<int32_t>(uint64_t{word} * (2 * most + 1) >> 32) - static_cast<int32_t>(most);
  };
  return {pixels(words[0]), pixels(words[1])};
}

/// A pixel of the moved image. Pixels that come from beyond an edge are 0.
constexpr uint8_t shifted_pixel(const uint8_t* image, uint32_t rows, uint32_t columns, Shift shift,
                                uint32_t pixel) {
  const uint32_t row = pixel / columns - static_cast<uint32_t>(shift.down),
                 column = pixel % columns - static_cast<uint32_t>(shift.right);
  return row < rows && column < columns ? image[row * columns + column] : uint8_t{0};
}

}  // namespace trainer
