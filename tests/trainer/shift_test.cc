#include "data/shift.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace trainer;

namespace {

/// A moved image of 2 x 3 pixels, as text with a digit for each pixel.
std::string moved(Shift shift) {
  const std::vector<uint8_t> image = {1, 2, 3, 4, 5, 6};
  std::string text;
  for (uint32_t pixel = 0; pixel < 6; ++pixel) {
    text += std::to_string(shifted_pixel(image.data(), 2, 3, shift, pixel));
    if (pixel == 2) text += '/';
  }
  return text;
}

}  // namespace

TEST_CASE("shift: an image moves in both directions, and zeros come in from beyond the edges") {
  CHECK(moved({0, 0}) == "123/456");
  CHECK(moved({1, 0}) == "000/123");
  CHECK(moved({-1, 0}) == "456/000");
  CHECK(moved({0, 1}) == "012/045");
  CHECK(moved({0, -2}) == "300/600");
  CHECK(moved({1, -1}) == "000/230");
  CHECK(moved({5, 0}) == "000/000");
  CHECK(moved({0, -1000}) == "000/000");
}

TEST_CASE("shift: all shifts are equally likely, and depend on the seed") {
  constexpr int kPositions = 50000;
  std::map<std::pair<int, int>, int> seen;
  for (uint64_t position = 0; position < kPositions; ++position) {
    const Shift shift = shift_at(3, position, 2);
    ++seen[{shift.down, shift.right}];
  }
  CHECK(seen.size() == 25);
  CHECK(seen.begin()->first == std::pair(-2, -2));
  double chi_squared = 0;
  for (const auto& [shift, count] : seen) chi_squared += (count - 2000.0) * (count - 2000.0) / 2000;
  CHECK(chi_squared < 51.2);  // at 24 degrees of freedom, this is exceeded with probability 0.001
  CHECK(shift_at(3, 77, 0).down == 0);
  CHECK(shift_at(3, 77, 1000).down != shift_at(4, 77, 1000).down);
}
