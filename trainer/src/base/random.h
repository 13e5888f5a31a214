#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/real.h"

namespace trainer {

/// Random numbers without state: each is a pure function of the seed, a purpose and counters, so that a
/// resumed run, or another rank, draws exactly what an undisturbed one draws. Philox4x32-10: Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// What a number is drawn for. The values are part of every checkpoint's meaning: never renumber them.
enum class Purpose : uint32_t { initial_weight = 1, shuffle = 2, dropout = 3 };

/// Four 32-bit words for (seed, purpose, a, b): `a` is a 64-bit index, `b` below 2^24 tells apart its draws.
std::array<uint32_t, 4> draw(uint64_t seed, Purpose purpose, uint64_t a, uint32_t b);

/// Fills `out` with a normal distribution of mean 0 and deviation `sigma` cut off at 2 sigma (values beyond
/// are drawn again, as TensorFlow's truncated_normal does). Element i is drawn with index `first_index + i`.
void truncated_normal(uint64_t seed, uint64_t first_index, Real sigma, std::span<Real> out);

/// Inverted dropout: multiplies each value by 1/keep with probability `keep`, else by 0. `sample` is the
/// position of the training example in the run's stream of examples. `keep` is rounded to a multiple of
/// 2^-16.
void dropout(uint64_t seed, uint64_t sample, Real keep, std::span<Real> values);

}  // namespace trainer
