#include "cuda/peak.h"

#include <cuda_runtime.h>

#include "cuda/memory.h"

namespace trainer::cuda {

namespace {

/// The clock rate, in Hz, for which data sheets give the speed of the tensor cores. The first name that
/// matches applies.
constexpr struct {
  const char* name;
  double clock;
} kTensorClocks[] = {{"NVIDIA H200 NVL", 1545e6},  {"NVIDIA H100 NVL", 1545e6},
                     {"NVIDIA H100 PCIe", 1620e6}, {"NVIDIA H100 80GB HBM3", 1830e6},
                     {"NVIDIA H200", 1830e6},      {"NVIDIA GH200", 1830e6}};

std::optional<double> tensor_clock(const GpuModel& gpu) {
  if (gpu.major == 8 && gpu.minor == 0) return gpu.clock;
  for (const auto& rated : kTensorClocks) {
    if (gpu.name.starts_with(rated.name)) return rated.clock;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> peak_flops(const GpuModel& gpu, Precision precision) {
  const bool a100 = gpu.major == 8 && gpu.minor == 0;
  if (precision == Precision::fp32) return 2 * (a100 ? 64 : 128) * gpu.multiprocessors * gpu.clock;
  const std::optional<double> clock = tensor_clock(gpu);
  if (!clock) return std::nullopt;
  const double bf16 = 2 * (a100 ? 1024 : 2048) * gpu.multiprocessors * *clock;
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
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "report its properties");
  return peak_flops({properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                     1e3 * attribute(cudaDevAttrClockRate)},
                    precision);
}

std::string gpu_bus_id() {
  char id[64] = "";
  int device = 0;
  check(cudaGetDevice(&device), "report its number");
  check(cudaDeviceGetPCIBusId(id, sizeof id, device), "report its PCI bus");
  return id;
}

}  // namespace trainer::cuda
