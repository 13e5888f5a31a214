#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>

/// The part of the CUDA runtime that the trainer uses, on the CPU. The trainer's kernels are compiled as
/// plain C++ with this header instead of NVIDIA's, so they can run without a GPU and be compared with the
/// CPU's arithmetic. The threads of a block are fibers. A block ends before the next block begins; in a
/// cooperative launch, it reaches a barrier of the grid before the next block continues. Work in a stream is
/// done at once, or recorded during a capture. The emulator therefore finds wrong arithmetic, a missing
/// barrier that matters in some order of threads, and use of uninitialized memory (which is filled with NaN).
/// It does not find races between blocks or streams, and says nothing about speed.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __shared__ static thread_local
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/// The indexes of the running thread.
extern thread_local uint3 threadIdx, blockIdx;
extern thread_local dim3 blockDim, gridDim;

namespace emulator {

/// Waits for the other threads of the block, or of the warp.
void block_barrier();
void warp_barrier();
/// Waits for all threads of the grid.
void grid_barrier();
/// How many barriers of a grid have been passed by all blocks.
uint64_t grid_barriers();
/// Begins a copy. It is complete after wait_for_copies() in the same thread.
void copy_later(void* to, const void* from, size_t size);
void wait_for_copies();
/// The number of bytes that kernels have copied, or have loaded past the L1 cache. Other accesses are not
/// counted.
uint64_t bytes_loaded();
void count_bytes(size_t count);
/// The number of multiprocessors of the emulated GPU. A test may change it.
extern std::atomic<int> multiprocessors;
/// The largest shared memory that a block can have, in bytes. A test may change it.
extern std::atomic<int> block_shared;
/// Memory in which the threads of the running warp exchange values: kExchanged bytes for each thread.
constexpr size_t kExchanged = 24;
std::byte* warp_bytes();
/// The running block's shared memory, as large as a GPU's. It contains nothing from an earlier block.
unsigned char* dynamic_shared_memory();
/// The number of kernels that this process has started.
uint64_t kernels();

/// Runs all threads of all blocks; `together`: whether the blocks may wait for each other. Aborts if a GPU
/// would reject the sizes, or if not all threads reach a barrier.
void run_kernel(dim3 blocks, dim3 threads, size_t shared, bool together, const std::function<void()>& body);
/// Does the work, or adds it to the graph that is being captured. If the stream stalls, the work is dropped.
void enqueue(struct Stream* stream, std::function<void()> work);
/// Acts like a kernel that waits for something that may never come: until the result is set to false, work
/// that is put into the stream is dropped, and waiting for the stream does not end.
using Stall = std::shared_ptr<std::atomic<bool>>;
Stall stall(struct Stream* stream);
/// Whether work in the stream is being recorded for a graph.
bool is_capturing(const struct Stream* stream);

/// Calls `use` with the values of all 32 threads of the warp.
template <typename Value, typename Use>
void share(const Value& value, Use use) {
  static_assert(sizeof(Value) <= kExchanged);
  std::byte* all = warp_bytes();
  std::memcpy(all + threadIdx.x % 32 * sizeof value, &value, sizeof value);
  warp_barrier();
  use(reinterpret_cast<const Value*>(all));
  warp_barrier();
}

template <typename Value>
Value shuffle(Value value, unsigned from) {
  share(value, [&](const Value* of) { value = of[from % 32]; });
  return value;
}

}  // namespace emulator

inline void __syncthreads() {
  emulator::block_barrier();
}
inline void __syncwarp(unsigned = ~0u) {
  emulator::warp_barrier();
}
template <typename Value>
Value __shfl_xor_sync(unsigned, Value value, int mask) {
  return emulator::shuffle(value, threadIdx.x % 32 ^ static_cast<unsigned>(mask));
}
/// Loads without using the first cache. Aborts, like a GPU, if the address is not a multiple of the size.
template <typename Value>
Value __ldcg(const Value* from) {
  if (reinterpret_cast<uintptr_t>(from) % sizeof(Value) != 0) std::abort();
  emulator::count_bytes(sizeof(Value));
  return *from;
}
/// Multiplies two numbers. The compiler does not fuse the product with an addition.
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline unsigned min(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline uint32_t __float_as_uint(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float __uint_as_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidPtx = 218,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorCapturedEvent = 907,
  cudaErrorUnknown = 999
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;
using cudaStream_t = emulator::Stream*;
using cudaEvent_t = struct EmulatedEvent*;
using cudaGraph_t = struct EmulatedGraph*;
using cudaGraphExec_t = EmulatedGraph*;
enum cudaDeviceAttr {
  cudaDevAttrClockRate = 13,  ///< kHz
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
  size_t sharedMemPerBlockOptin;
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int cooperative, programmaticStreamSerializationAllowed;
  } val;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
/// The number in the environment variable EMULATED_GPUS, or one.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
/// Returns the value for an H100.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDevice(int* device);
/// Returns a different id at each call, as if each rank had its own GPU. If the environment variable
/// EMULATED_SHARED_GPU is set, returns its value.
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaMalloc(void** memory, size_t size);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, size_t size);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
template <typename... Wanted>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Wanted...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

/// Returns how many blocks fit into a multiprocessor's shared memory and threads.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          size_t shared);
template <typename... Wanted>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(Wanted...), int threads,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), threads,
                                                       shared);
}

namespace emulator {
/// Checks whether a GPU would start the kernel. It allows 48 KiB of shared memory, or as much as was set by
/// cudaFuncSetAttribute. In a cooperative launch, all blocks must run at the same time.
cudaError_t may_start(const void* kernel, const cudaLaunchConfig_t& config, bool together);
}  // namespace emulator

template <typename... Wanted, typename... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Wanted...),
                               Given&&... given) {
  const bool together = config->numAttrs > 0 && config->attrs->id == cudaLaunchAttributeCooperative;
  const cudaError_t status = emulator::may_start(reinterpret_cast<const void*>(kernel), *config, together);
  if (status != cudaSuccess) return status;
  // Copies the arguments, as a GPU does: a graph replays those given during the capture.
  emulator::enqueue(config->stream, [=, blocks = config->gridDim, threads = config->blockDim,
                                     shared = config->dynamicSmemBytes] {
    emulator::run_kernel(blocks, threads, shared, together, [&] { kernel(Wanted(given)...); });
  });
  return cudaSuccess;
}
