#pragma once

namespace trainer {

/// How the factors of a GPU's large products are rounded. fp32: not at all, for the general arithmetic units.
/// tf32 (10 bits of fraction) and bf16 (7 bits): for the tensor cores. Sums are always fp32.
enum class Precision { fp32, tf32, bf16 };

constexpr const char* precision_name(Precision precision) {
  return precision == Precision::tf32 ? "tf32" : precision == Precision::bf16 ? "bf16" : "fp32";
}

}  // namespace trainer
