#pragma once

#include <optional>
#include <string>

#include "cuda/precision.h"

namespace trainer::cuda {

/// The operations that a multiprocessor can perform in a clock cycle; a multiply-add counts as two. Empty if
/// the number is not the same for all GPUs of that compute capability; for tensor cores it is known only for
/// A100, H100 and H200. fp32: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
/// Tensor cores, without sparsity: NVIDIA's white papers on the A100 (a multiprocessor does 1024
/// multiply-adds of FP16 in a clock cycle, half as many of TF32) and on the H100 (twice that).
std::optional<double> flop_per_clock(int major, int minor, Precision precision);

/// The peak FLOP per second of the GPU that this process uses, at its highest clock rate. Throws Error.
std::optional<double> peak_flops(Precision precision);

/// The GPU's address on the host, which NVML also uses: "0000:1b:00.0". Throws Error.
std::string gpu_bus_id();

}  // namespace trainer::cuda
