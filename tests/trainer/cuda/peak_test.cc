#include "cuda/peak.h"

#include <doctest/doctest.h>

using trainer::Precision;
using trainer::cuda::flop_per_clock;

TEST_CASE("a GPU's peak: what its data sheet says") {
  struct Sheet {
    int major, multiprocessors;
    double clock, fp32, tf32, bf16;  ///< Hz, and FLOP per second
  };
  for (const Sheet& gpu :
       {Sheet{8, 108, 1410e6, 19.5e12, 156e12, 312e12},      // A100
        Sheet{9, 132, 1830e6, 61.8e12, 494.7e12, 989.4e12},  // H100 SXM; data sheet: 67e12 fp32 at 1980 MHz
        Sheet{9, 114, 1620e6, 47.3e12, 378e12, 756e12}}) {   // H100 PCIe
    const auto peak = [&](Precision precision) {
      return *flop_per_clock(gpu.major, 0, precision) * gpu.multiprocessors * gpu.clock;
    };
    CHECK(peak(Precision::fp32) == doctest::Approx(gpu.fp32).epsilon(0.002));
    CHECK(peak(Precision::tf32) == doctest::Approx(gpu.tf32).epsilon(0.002));
    CHECK(peak(Precision::bf16) == doctest::Approx(gpu.bf16).epsilon(0.002));
  }
}

TEST_CASE("a GPU's peak: unknown for tensor cores that differ within a compute capability") {
  CHECK(flop_per_clock(8, 9, Precision::fp32) == 256);
  CHECK_FALSE(flop_per_clock(8, 9, Precision::bf16));
  CHECK_FALSE(flop_per_clock(8, 6, Precision::tf32));
}
