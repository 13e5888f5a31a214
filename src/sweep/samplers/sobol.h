#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kml::sweep {

/// Points of Sobol's sequence, scrambled by the method of A. B. Owen ("Randomly permuted (t,m,s)-nets",
/// 1995): each bit is flipped by a hash of the bits above it, so that the points are still spread evenly.
/// Coordinates in dimension 65 and above are drawn independently.
class Sobol {
 public:
  Sobol(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), seed_(seed) {}

  /// The point with this index, in the open unit cube.
  std::vector<double> point(std::uint32_t index) const;

 private:
  std::size_t dimensions_;
  std::uint64_t seed_;
};

/// A coordinate of the unscrambled point, in units of 2^-32. `dimension` is below 64. The points are in their
/// natural order, not in Gray code order.
std::uint32_t sobol_bits(std::uint32_t index, std::size_t dimension);

std::uint32_t owen_scrambled(std::uint32_t bits, std::uint64_t seed);

}  // namespace kml::sweep
