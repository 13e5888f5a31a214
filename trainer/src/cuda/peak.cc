#include "cuda/peak.h"

#include <cuda_runtime.h>

#include "cuda/memory.h"

namespace trainer::cuda {

std::optional<double> flop_per_clock(int major, int minor, Precision precision) {
  const bool a100 = major == 8 && minor == 0;
  if (precision == Precision::fp32) return a100 ? 2 * 64 : 2 * 128;
  if (!a100 && (major != 9 || minor != 0)) return std::nullopt;
  const double bf16 = a100 ? 2 * 1024 : 2 * 2048;
  return precision == Precision::bf16 ? bf16 : bf16 / 2;
}

std::optional<double> peak_flops(Precision precision) {
  int device = 0;
  check(cudaGetDevice(&device), "report its number");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "report its properties");
    return value;
  };
  const auto each = flop_per_clock(attribute(cudaDevAttrComputeCapabilityMajor),
                                   attribute(cudaDevAttrComputeCapabilityMinor), precision);
  if (!each) return std::nullopt;
  return *each * attribute(cudaDevAttrMultiProcessorCount) * 1e3 * attribute(cudaDevAttrClockRate);
}

std::string gpu_bus_id() {
  char id[64] = "";
  int device = 0;
  check(cudaGetDevice(&device), "report its number");
  check(cudaDeviceGetPCIBusId(id, sizeof id, device), "report its PCI bus");
  return id;
}

}  // namespace trainer::cuda
