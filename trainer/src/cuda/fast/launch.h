#pragma once

#include "cuda/memory.h"

namespace trainer::cuda {

/// Whether this process's GPU can start a kernel before the one before it has ended.
inline bool can_overlap() {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "name the GPU");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "describe the GPU");
  return major >= 9;
}

/// Launches a kernel with `shared` bytes of shared memory. With `overlap`, it may start before the kernel
/// before it has ended; it must then call wait_for_previous().
template <typename... Wanted, typename... Given>
void launch_after(const Stream& stream, bool overlap, void (*kernel)(Wanted...), dim3 blocks,
                  unsigned threads, size_t shared, Given&&... given) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "reserve shared memory");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream.get();
  config.attrs = &attribute;
  config.numAttrs = overlap ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Given>(given)...), "start a kernel");
}

}  // namespace trainer::cuda
