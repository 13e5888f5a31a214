#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace trainer::cuda {

/// Divides by a number that is not known at compile time, using a multiplication: Granlund and Montgomery,
/// "Division by invariant integers using multiplication", 1994. Dividends must be below 2^31.
class Divisor {
 public:
  explicit Divisor(uint32_t by) {
    while (shift_ < 31 && uint32_t{1} << shift_ < by) ++shift_;
    factor_ = ((uint64_t{1} << (32 + shift_)) + by - 1) / by;
  }

  __host__ __device__ uint32_t divide(uint32_t number) const {
    return static_cast<uint32_t>(number * factor_ >> (32 + shift_));
  }

 private:
  uint64_t factor_;  ///< 33 bits
  uint32_t shift_ = 0;
};

}  // namespace trainer::cuda
