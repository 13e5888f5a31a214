#pragma once

#include "cuda/memory.h"

namespace trainer::cuda {

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "name the GPU");
  check(cudaDeviceGetAttribute(&value, attribute, device), "describe the GPU");
  return value;
}

/// Whether this process's GPU can start a kernel before the previous one has ended.
inline bool can_overlap() {
  return device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

template <typename... Wanted>
void reserve(void (*kernel)(Wanted...), size_t shared) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "reserve shared memory");
}

/// Whether all these blocks fit on this process's GPU at the same time, and can wait for each other.
template <typename... Wanted>
bool can_run_together(void (*kernel)(Wanted...), unsigned blocks, unsigned threads, size_t shared) {
  if (!device_attribute(cudaDevAttrCooperativeLaunch)) return false;
  if (shared > static_cast<size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))) return false;
  reserve(kernel, shared);
  int each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), shared),
        "find how many blocks fit on the GPU");
  return uint64_t{blocks} <= uint64_t(each) * device_attribute(cudaDevAttrMultiProcessorCount);
}

/// Launches a kernel with `shared` bytes of shared memory.
template <typename... Wanted, typename... Given>
void launch_with(const Stream& stream, cudaLaunchAttribute* attribute, void (*kernel)(Wanted...), dim3 blocks,
                 unsigned threads, size_t shared, Given&&... given) {
  reserve(kernel, shared);
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream.get();
  config.attrs = attribute;
  config.numAttrs = attribute ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Given>(given)...), "start a kernel");
}

/// With `overlap`, the kernel may start before the previous kernel has ended; it must then call
/// wait_for_previous().
template <typename... Wanted, typename... Given>
void launch_after(const Stream& stream, bool overlap, void (*kernel)(Wanted...), dim3 blocks,
                  unsigned threads, size_t shared, Given&&... given) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  launch_with(stream, overlap ? &attribute : nullptr, kernel, blocks, threads, shared,
              std::forward<Given>(given)...);
}

/// Launches a kernel whose blocks all run at the same time, so they may call grid_barrier(). Requires
/// can_run_together().
template <typename... Wanted, typename... Given>
void launch_together(const Stream& stream, void (*kernel)(Wanted...), dim3 blocks, unsigned threads,
                     size_t shared, Given&&... given) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  launch_with(stream, &attribute, kernel, blocks, threads, shared, std::forward<Given>(given)...);
}

}  // namespace trainer::cuda
