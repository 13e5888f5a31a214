#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kml::sweep {

/// The purpose of a stream, so that two uses within one trial never share numbers.
enum class Purpose : std::uint32_t { draw, retry, scan, scramble, candidates, batch, restart, evolve };

/// Random numbers that depend only on (seed, trial, purpose, position in the stream), from Philox4x32-10
/// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). The distributions are kml's own,
/// because those of standard libraries differ.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t trial, Purpose purpose);

  std::uint64_t next();
  /// A number in (0, 1): a multiple of 2^-53 plus 2^-54, so never 0 or 1.
  double uniform();
  /// A standard normal number, by inversion of one uniform number.
  double normal();
  /// A number from 0 to count - 1.
  std::uint64_t index(std::uint64_t count);

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_ = {};
  size_t used_ = 4;  ///< used words of the block; 4: draw the next block
};

/// One block of Philox4x32-10.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A well-mixed word: the finalizer of SplitMix64 (Steele et al., OOPSLA 2014).
std::uint64_t mixed(std::uint64_t word);

}  // namespace kml::sweep
