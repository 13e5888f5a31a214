#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

/// The emulator's version of src/cuda/fast/instructions.cuh: the same functions, as the PTX ISA describes the
/// instructions ("ldmatrix", "mma.m16n8k16", "mma.m16n8k8"). A product is added to a sum at once, and rounded
/// to fp32 several times on the way; a GPU's last bits may differ.
namespace trainer::cuda {

inline unsigned char* shared_memory() {
  return emulator::dynamic_shared_memory();
}
inline void wait_for_previous() {}  // the emulator does the work of a stream in order
inline void start_next() {}

inline void copy_later(void* to, const void* from) {
  emulator::copy_later(to, from, 16);
}
inline void wait_for_copies() {
  emulator::wait_for_copies();
}
inline void grid_barrier(uint32_t*, uint32_t) {
  emulator::grid_barrier();
}

/// Aborts if the row does not start at a multiple of 16 bytes, as a GPU would.
inline void check_row(const void* row) {
  if (reinterpret_cast<uintptr_t>(row) % 16 != 0) std::abort();
}

inline void load_matrices(uint32_t (&out)[4], const void* row) {
  check_row(row);
  const unsigned lane = threadIdx.x % 32;
  emulator::share(row, [&](const void* const* rows) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      const auto* numbers = static_cast<const uint16_t*>(rows[8 * matrix + lane / 4]);
      std::memcpy(&out[matrix], numbers + 2 * (lane % 4), 4);
    }
  });
}

inline void load_transposed(uint32_t (&out)[4], const void* row) {
  check_row(row);
  const unsigned lane = threadIdx.x % 32;
  emulator::share(row, [&](const void* const* rows) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      uint16_t pair[2];
      for (unsigned i = 0; i < 2; ++i) {
        const auto* numbers = static_cast<const uint16_t*>(rows[8 * matrix + 2 * (lane % 4) + i]);
        pair[i] = numbers[lane / 4];
      }
      std::memcpy(&out[matrix], pair, 4);
    }
  });
}

inline uint32_t pack_bf16(float first, float second) {
  return __float2bfloat16(first).bits | uint32_t{__float2bfloat16(second).bits} << 16;
}

namespace detail {

/// A lane's parts of the factors: `left` has rows g and g + 8 of `sum` for the numbers of k that belong to
/// the lane, then the same for the second half of k; `right` has column g.
struct Factors {
  uint32_t left[4], right[2];
};

/// Each word of a factor holds `kPacked` numbers; a half of k is 4 words of neighboring lanes.
template <unsigned kPacked, typename Number>
void multiply(float* sum, const uint32_t* left, const uint32_t* right, Number number) {
  const unsigned lane = threadIdx.x % 32;
  const Factors mine{{left[0], left[1], left[2], left[3]}, {right[0], right[1]}};
  emulator::share(mine, [&](const Factors* of) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4, lower = i / 2, column = lane % 4 * 2 + i % 2;
      float total = 0;
      for (unsigned half = 0; half < 2; ++half) {
        for (unsigned t = 0; t < 4; ++t) {
          const uint32_t a = of[4 * row + t].left[2 * half + lower], b = of[4 * column + t].right[half];
          for (unsigned p = 0; p < kPacked; ++p) total += number(a, p) * number(b, p);
        }
      }
      sum[i] += total;
    }
  });
}

}  // namespace detail

inline void multiply_bf16(float* sum, const uint32_t* left, const uint32_t* right) {
  detail::multiply<2>(sum, left, right, [](uint32_t word, unsigned i) {
    return __bfloat162float({static_cast<uint16_t>(word >> 16 * i)});
  });
}

inline void multiply_tf32(float* sum, const uint32_t* left, const uint32_t* right) {
  detail::multiply<1>(sum, left, right, [](uint32_t word, unsigned) {
    word &= ~0x1fffu;  // a tensor core does not see the last 13 bits
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  });
}

}  // namespace trainer::cuda
