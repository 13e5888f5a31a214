#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>

/// As much of the CUDA runtime as the trainer uses, on the CPU: its kernels, compiled as plain C++ against
/// this header in place of NVIDIA's, run and can be compared with the CPU's arithmetic where there is no GPU.
/// Threads of a block are fibers; a block ends before the next begins; what is put into a stream is done at
/// once, or recorded while it captures. So it finds wrong arithmetic, a forgotten barrier that some order of
/// threads shows, and use of memory never written (all that is allocated begins as NaN); it finds no races
/// between blocks or streams, and says nothing about speed.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static thread_local
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/// Where the running thread is.
extern thread_local uint3 threadIdx, blockIdx;
extern thread_local dim3 blockDim, gridDim;

namespace emulator {

/// Waits for the other threads of the block, or of the warp.
void block_barrier();
void warp_barrier();
/// Words by which the threads of the running warp tell each other something.
uint32_t* warp_words();

/// Runs all threads of all blocks. Aborts on what no GPU would take, and on a barrier that not all threads
/// reach.
void run_kernel(dim3 blocks, dim3 threads, const std::function<void()>& body);
/// Does it, or keeps it for the graph that is being captured.
void enqueue(struct Stream* stream, std::function<void()> work);
/// As if a kernel waited for something that may never come: what follows in the stream is not done, until it
/// goes on.
void stall(struct Stream* stream, bool stalled);

template <typename Value>
Value shuffle(Value value, unsigned from) {
  static_assert(sizeof(Value) == 4);
  std::memcpy(&warp_words()[threadIdx.x % 32], &value, 4);
  warp_barrier();
  std::memcpy(&value, &warp_words()[from % 32], 4);
  warp_barrier();
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
inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNoDevice = 100,
  cudaErrorNotReady = 600,
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
  cudaDevAttrComputeCapabilityMinor = 76
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};
struct cudaLaunchAttribute {};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
/// As many as the environment's EMULATED_GPUS says, else one.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
/// Of an H100, as its properties.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDevice(int* device);
/// Another one each time, as if each rank had a GPU of its own, unless the environment's EMULATED_SHARED_GPU
/// says which one all have.
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

template <typename... Wanted, typename... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Wanted...),
                               Given&&... given) {
  // By value, as on a GPU: what a graph replays is what was given when it was captured.
  emulator::enqueue(config->stream, [=, blocks = config->gridDim, threads = config->blockDim] {
    emulator::run_kernel(blocks, threads, [&] { kernel(Wanted(given)...); });
  });
  return cudaSuccess;
}
