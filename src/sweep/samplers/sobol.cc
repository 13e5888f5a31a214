#include "sweep/samplers/sobol.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sweep/samplers/stream.h"

namespace kml::sweep {

namespace {

/// A primitive polynomial over GF(2), with one bit per coefficient, and the first direction numbers, as many
/// as its degree.
struct SobolDirection {
  std::uint32_t polynomial;
  std::array<std::uint32_t, 9> first;
};

/// The dimensions 2 to 64 in new-joe-kuo-6.21201 (dimension 1 is van der Corput's sequence): S. Joe and F. Y.
/// Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30
/// (2008).
// clang-format off
constexpr std::array<SobolDirection, 63> kSobolDirections = {{
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
}};

// clang-format on

constexpr size_t kDimensions = kSobolDirections.size() + 1;

constexpr int kBits = 32;

using Directions = std::array<std::uint32_t, kBits>;  ///< bit k of the index contributes element k

/// The recurrence (3) in Joe and Kuo 2008.
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
    // The bits above bit k, with a leading one, so that prefixes of different lengths are different.
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
