#include "cuda/peak.h"

#include <doctest/doctest.h>

using trainer::Precision;
using trainer::cuda::GpuModel;
using trainer::cuda::peak_flops;

TEST_CASE("a GPU's peak: the value from its data sheet") {
  struct Sheet {
    GpuModel gpu;
    double fp32, tf32, bf16;  ///< in FLOP per second
  };
  for (const Sheet& sheet : {Sheet{{"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410e6}, 19.5e12, 156e12, 312e12},
                             Sheet{{"NVIDIA H100 80GB HBM3", 9, 0, 132, 1980e6}, 66.9e12, 494.7e12, 989.4e12},
                             Sheet{{"NVIDIA H100 PCIe", 9, 0, 114, 1755e6}, 51.2e12, 378e12, 756e12},
                             Sheet{{"NVIDIA H100 NVL", 9, 0, 132, 1785e6}, 60.3e12, 417.5e12, 835e12},
                             Sheet{{"NVIDIA H200", 9, 0, 132, 1980e6}, 66.9e12, 494.7e12, 989.4e12},
                             Sheet{{"NVIDIA H200 NVL", 9, 0, 132, 1785e6}, 60.3e12, 417.5e12, 835e12}}) {
    CAPTURE(sheet.gpu.name);
    CHECK(*peak_flops(sheet.gpu, Precision::fp32) == doctest::Approx(sheet.fp32).epsilon(0.002));
    CHECK(*peak_flops(sheet.gpu, Precision::tf32) == doctest::Approx(sheet.tf32).epsilon(0.002));
    CHECK(*peak_flops(sheet.gpu, Precision::bf16) == doctest::Approx(sheet.bf16).epsilon(0.002));
  }
}

TEST_CASE("a GPU's peak: with tensor cores, it is known for some models only") {
  const GpuModel l4{"NVIDIA L4", 8, 9, 58, 2040e6}, h20{"NVIDIA H20", 9, 0, 78, 1980e6};
  CHECK(*peak_flops(l4, Precision::fp32) == doctest::Approx(30.3e12).epsilon(0.002));
  CHECK_FALSE(peak_flops(l4, Precision::bf16));
  CHECK_FALSE(peak_flops(h20, Precision::tf32));
}
