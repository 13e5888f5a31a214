#include "sweep/samplers/sobol.h"

#include <bit>
#include <cstddef>

#include "sweep/samplers/sobol_directions.h"
#include "sweep/samplers/stream.h"

namespace kml::sweep {

namespace {

constexpr size_t kDimensions = kSobolDirections.size() + 1;
constexpr int kBits = 32;
using Directions = std::array<std::uint32_t, kBits>;  ///< [k] is what bit k of the index contributes

/// The recurrence (3) of Joe and Kuo 2008.
constexpr Directions directions_of(const SobolDirection& from) {
  Directions directions = {};
  const int degree = static_cast<int>(std::bit_width(from.polynomial)) - 1;
  for (int k = 0; k < kBits; ++k) {
    if (k < degree) {
      directions[k] = from.first[k] << (kBits - 1 - k);
      continue;
    }
    directions[k] = directions[k - degree] ^ (directions[k - degree] >> degree);
    for (int i = 1; i < degree; ++i)
      if (from.polynomial >> (degree - i) & 1) directions[k] ^= directions[k - i];
  }
  return directions;
}

constexpr std::array<Directions, kDimensions> all_directions() {
  std::array<Directions, kDimensions> all = {};
  for (int k = 0; k < kBits; ++k) all[0][k] = std::uint32_t{1} << (kBits - 1 - k);
  for (size_t i = 1; i < kDimensions; ++i) all[i] = directions_of(kSobolDirections[i - 1]);
  return all;
}

constexpr auto kDirections = all_directions();

}  // namespace

std::uint32_t sobol_bits(std::uint32_t index, size_t dimension) {
  std::uint32_t bits = 0;
  for (int k = 0; index; ++k, index >>= 1)
    if (index & 1) bits ^= kDirections[dimension][k];
  return bits;
}

std::uint32_t owen_scrambled(std::uint32_t bits, std::uint64_t seed) {
  std::uint32_t scrambled = 0;
  for (int k = kBits - 1; k >= 0; --k) {
    // The prefix, with a leading one so that prefixes of different lengths differ.
    const std::uint64_t above = (std::uint64_t{1} << (kBits - 1 - k)) | (std::uint64_t{bits} >> (k + 1));
    scrambled |= ((bits >> k ^ static_cast<std::uint32_t>(mixed(above ^ mixed(seed)) >> 63)) & 1) << k;
  }
  return scrambled;
}

std::vector<double> Sobol::point(std::uint32_t index) const {
  std::vector<double> unit(dimensions_);
  for (size_t i = 0; i < dimensions_; ++i)
    if (i < kDimensions)
      unit[i] = (owen_scrambled(sobol_bits(index, i), mixed(seed_ + i)) + 0.5) * 0x1p-32;
    else
      unit[i] = Stream(seed_ + i, index, Purpose::scramble).uniform();
  return unit;
}

}  // namespace kml::sweep
