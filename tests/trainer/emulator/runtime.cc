// Memory, streams and graphs of the emulated GPU.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "cuda_runtime.h"

namespace emulator {
struct Stream;
}

struct EmulatedGraph {
  std::vector<std::function<void()>> works;
  std::vector<emulator::Stream*> streams;  ///< streams that take part in its capture
};
struct EmulatedEvent {
  EmulatedGraph* graph = nullptr;  ///< the graph in whose capture it was recorded
};

namespace emulator {

std::atomic<int> multiprocessors{132};
std::atomic<int> block_shared{227 << 10};

struct Stream {
  EmulatedGraph* graph = nullptr;  ///< the graph that is being captured
  bool began_it = false;
  Stall stalled = std::make_shared<std::atomic<bool>>(false);
};

Stall stall(Stream* stream) {
  *stream->stalled = true;
  return stream->stalled;
}

bool is_capturing(const Stream* stream) {
  return stream->graph;
}

void enqueue(Stream* stream, std::function<void()> work) {
  if (stream && stream->graph) {
    stream->graph->works.push_back(std::move(work));
  } else if (!stream || !*stream->stalled) {
    work();
  }
}

}  // namespace emulator

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "an error of the emulator";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  const char* told = getenv("EMULATED_GPUS");
  *count = told ? atoi(told) : 1;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"NVIDIA H100 80GB HBM3 (emulated)",         size_t{1} << 32, 9, 0, emulator::multiprocessors,
                 static_cast<size_t>(emulator::block_shared)};
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrClockRate: *value = 1980000; break;
    case cudaDevAttrMultiProcessorCount: *value = emulator::multiprocessors; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = emulator::block_shared; break;
  }
  return cudaSuccess;
}

namespace {
std::mutex shared_mutex;
std::map<const void*, size_t> shared_bytes;
}  // namespace

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  const std::lock_guard lock(shared_mutex);
  return shared_bytes[kernel] = static_cast<size_t>(value),
         value > emulator::block_shared ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          size_t shared) {
  constexpr size_t kSystem = 1 << 10, kShared = 228 << 10, kThreads = 2048;  // the values of an H100
  *blocks = static_cast<int>(std::min(kShared / (shared + kSystem), kThreads / static_cast<size_t>(threads)));
  return cudaSuccess;
}

cudaError_t emulator::may_start(const void* kernel, const cudaLaunchConfig_t& config, bool together) {
  {
    const std::lock_guard lock(shared_mutex);
    const auto found = shared_bytes.find(kernel);
    if (config.dynamicSmemBytes > (found == shared_bytes.end() ? 48 << 10 : found->second))
      return cudaErrorInvalidValue;
  }
  int each = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(config.blockDim.x),
                                                config.dynamicSmemBytes);
  const bool too_large = together && config.gridDim.x > static_cast<unsigned>(each * multiprocessors);
  return too_large ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int) {
  static std::atomic<int> next{0};
  if (const char* shared = getenv("EMULATED_SHARED_GPU")) {
    snprintf(id, static_cast<size_t>(size), "%s", shared);
  } else {
    snprintf(id, static_cast<size_t>(size), "%d.%d", getpid(), next++);
  }
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return *version = 13000, cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t size) {
  *memory = malloc(size);
  if (!*memory) return cudaErrorMemoryAllocation;
  memset(*memory, 0xff, size);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  return free(memory), cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, size_t size) {
  return cudaMalloc(memory, size);
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind, cudaStream_t stream) {
  emulator::enqueue(stream, [=] { memcpy(to, from, size); });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream) {
  emulator::enqueue(stream, [=] { memset(to, value, size); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new emulator::Stream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return delete stream, cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  while (*stream->stalled) usleep(1000);
  return stream->graph ? cudaErrorUnknown : cudaSuccess;  // waiting is not allowed during a capture
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return *stream->stalled ? cudaErrorNotReady : cudaStreamSynchronize(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return delete event, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return event->graph = stream->graph, cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!stream->graph && event->graph) {  // from here on, the stream takes part in that capture
    stream->graph = event->graph;
    event->graph->streams.push_back(stream);
  }
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream->graph) return cudaErrorUnknown;
  stream->graph = new EmulatedGraph{{}, {stream}};
  stream->began_it = true;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!stream->began_it) return cudaErrorUnknown;
  *graph = stream->graph;
  for (emulator::Stream* member : (*graph)->streams) member->graph = nullptr;
  stream->began_it = false;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  for (const auto& work : executable->works) emulator::enqueue(stream, work);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return delete graph, cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return delete executable, cudaSuccess;
}
