#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kml::sweep {

/// The use of a stream. Two uses within one trial must never share numbers.
enum class Purpose : std::uint32_t { draw, retry, scan, scramble, candidates, batch, restart, evolve };

/// Random numbers that only depend on (seed, trial, purpose, position in the stream), from Philox4x32-10
/// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). kml implements the distributions
/// itself, because standard libraries differ in theirs.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t trial, Purpose purpose);

  std::uint64_t next();
  /// unit_of() the next word.
  double uniform();
  /// A standard normal number, which is finite, computed from one uniform number by inversion.
  double normal();
  /// A number from 0 to count - 1.
  std::uint64_t index(std::uint64_t count);

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_ = {};
  size_t used_ = 4;  ///< how many words of the block are used; 4 means that the next block must be drawn
};

/// One block of Philox4x32-10.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A number above 0 and below 1: the word's first 53 bits as a multiple of 2^-53, plus 2^-54, rounded to a
/// double.
double unit_of(std::uint64_t word);

/// A well-mixed word, by the finalizer of SplitMix64 (Steele et al., OOPSLA 2014).
std::uint64_t mixed(std::uint64_t word);

}  // namespace kml::sweep
