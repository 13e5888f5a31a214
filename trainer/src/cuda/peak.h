#pragma once

#include <optional>
#include <string>

#include "cuda/precision.h"

namespace trainer::cuda {

/// The properties that determine a GPU's peak performance.
struct GpuModel {
  std::string name;  ///< the name that the driver reports: "NVIDIA H100 80GB HBM3"
  int major, minor;  ///< compute capability
  int multiprocessors;
  double clock;  ///< the highest clock rate, in Hz
};

/// The FLOP per second that NVIDIA's data sheet promises, without sparsity; a multiply-add is two.
/// Empty if unknown; for tensor cores it is known only for A100, H100 and H200 and their close relatives.
/// fp32: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", at the highest clock
/// rate. Tensor cores: NVIDIA's white papers on the A100 (a multiprocessor does 1024 multiply-adds of BF16 in
/// a clock cycle, half as many of TF32) and on the H100 (twice that, at a lower clock rate than its highest).
std::optional<double> peak_flops(const GpuModel& gpu, Precision precision);

/// Like the function above, for this process's GPU. Throws Error.
std::optional<double> peak_flops(Precision precision);

/// The GPU's address on the host, which NVML also uses: "0000:1b:00.0". Throws Error.
std::string gpu_bus_id();

}  // namespace trainer::cuda
