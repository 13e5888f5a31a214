#pragma once

#include <optional>
#include <string>

#include "cuda/precision.h"

namespace trainer::cuda {

/// What a multiprocessor can do in a clock, two for each multiply-add; none where it is not the same for all
/// GPUs of that compute capability, as of tensor cores but those of A100 and of H100 and H200. fp32: CUDA C++
/// Programming Guide, "Throughput of Native Arithmetic Instructions"; tensor cores, without sparsity:
/// NVIDIA's white papers on the A100 (a multiprocessor does 1024 multiply-adds of FP16 a clock, half as many
/// of TF32) and on the H100 (twice that).
std::optional<double> flop_per_clock(int major, int minor, Precision precision);

/// FLOP a second of the GPU that this process computes on, at its highest clock. Throws Error.
std::optional<double> peak_flops(Precision precision);

/// Its address on the host, as NVML knows it too: "0000:1b:00.0". Throws Error.
std::string gpu_bus_id();

}  // namespace trainer::cuda
