#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kml::sweep {

/// Points of Sobol's sequence, scrambled by the method of A. B. Owen ("Randomly permuted (t,m,s)-nets",
/// 1995): each bit is flipped by a hash of the bits above it, so every 2^k consecutive points stay evenly
/// spread. From dimension 65 on, coordinates are drawn independently.
class Sobol {
 public:
  Sobol(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), seed_(seed) {}

  /// Point `index` in the open unit cube.
  std::vector<double> point(std::uint32_t index) const;

 private:
  std::size_t dimensions_;
  std::uint64_t seed_;
};

/// Coordinate `dimension` (below 64) of the unscrambled point, in units of 2^-32. The order of points is the
/// natural one, not Gray code.
std::uint32_t sobol_bits(std::uint32_t index, std::size_t dimension);

std::uint32_t owen_scrambled(std::uint32_t bits, std::uint64_t seed);

}  // namespace kml::sweep
