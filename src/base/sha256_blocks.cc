#include "base/sha256_blocks.h"

#include <bit>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace kml {

namespace {

// FIPS 180-4, section 4.2.2.
alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void add_block(Sha256State& state, const unsigned char* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8 |
           uint32_t{block[4 * i + 3]};
  for (int i = 16; i < 64; ++i) {
    const uint32_t low = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t high = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    const uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const Sha256State mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

void add_blocks_portably(Sha256State& state, const char* blocks, size_t count) {
  for (; count > 0; --count, blocks += 64) add_block(state, reinterpret_cast<const unsigned char*>(blocks));
}

#ifdef __x86_64__

namespace {

#define KML_SHA_NI __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

/// The state in the order that the instructions expect, the most significant word first (Intel's manual,
/// SHA256RNDS2).
struct PairedState {
  __m128i abef, cdgh;
};

KML_SHA_NI PairedState paired(const Sha256State& state) {
  const auto* words = reinterpret_cast<const __m128i*>(state.data());
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  return {_mm_alignr_epi8(badc, efgh, 8), _mm_blend_epi16(efgh, badc, 0xF0)};
}

KML_SHA_NI void unpair(const PairedState& from, Sha256State& state) {
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i feba = _mm_shuffle_epi32(from.abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(from.cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/// Rounds 4*i to 4*i + 3 with their four message words.
KML_SHA_NI void four_rounds(PairedState& state, __m128i words, int i) {
  const __m128i sum = _mm_add_epi32(words, _mm_load_si128(reinterpret_cast<const __m128i*>(kRound) + i));
  state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, sum);
  state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

KML_SHA_NI __m128i big_endian_words(const char* block, int i) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i), order);
}

KML_SHA_NI void add_block_by_sha_ni(PairedState& state, const char* block) {
  __m128i w0 = big_endian_words(block, 0), w1 = big_endian_words(block, 1);
  __m128i w2 = big_endian_words(block, 2), w3 = big_endian_words(block, 3);
  const PairedState before = state;
  for (int i = 0; i < 12; ++i) {
    four_rounds(state, w0, i);
    const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    w0 = w1, w1 = w2, w2 = w3, w3 = _mm_sha256msg2_epu32(sum, w3);
  }
  four_rounds(state, w0, 12);
  four_rounds(state, w1, 13);
  four_rounds(state, w2, 14);
  four_rounds(state, w3, 15);
  state = {_mm_add_epi32(state.abef, before.abef), _mm_add_epi32(state.cdgh, before.cdgh)};
}

#undef KML_SHA_NI

}  // namespace

bool has_sha_ni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  // __builtin_cpu_supports would ask the processor at every start, which takes 0.1 ms in a virtual machine.
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_SHA) == 0) return false;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0;
}

__attribute__((target("sha,sse4.1,ssse3"))) void add_blocks_by_sha_ni(Sha256State& state, const char* blocks,
                                                                      size_t count) {
  PairedState pairs = paired(state);
  for (; count > 0; --count, blocks += 64) add_block_by_sha_ni(pairs, blocks);
  unpair(pairs, state);
}

#else

bool has_sha_ni() {
  return false;
}

void add_blocks_by_sha_ni(Sha256State& state, const char* blocks, size_t count) {
  add_blocks_portably(state, blocks, count);
}

#endif

}  // namespace kml
