#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/gpu_error.h"

namespace trainer::cuda {

/// Throws Error if the CUDA runtime reports an error. `what` describes what was tried.
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw gpu_error(status, what);
}

/// A stream that runs independently of all other streams.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  /// Whether all work in the stream is done.
  bool done() const {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status != cudaErrorNotReady) check(status, "compute");
    return status == cudaSuccess;
  }
  void wait() const { check(cudaStreamSynchronize(stream_), "compute"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream for which another stream can wait.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;

  void record(const Stream& stream) { check(cudaEventRecord(event_, stream.get()), "record an event"); }
  void hold_up(const Stream& stream) { check(cudaStreamWaitEvent(stream.get(), event_, 0), "order streams"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// GPU memory for `count` values, uninitialized.
template <typename Value>
class Array {
 public:
  explicit Array(size_t count = 0) : count_(count) {
    void* memory = nullptr;
    if (count > 0) check(cudaMalloc(&memory, count * sizeof(Value)), "allocate memory");
    data_ = static_cast<Value*>(memory);
  }
  explicit Array(const std::vector<Value>& values, const Stream& stream) : Array(values.size()) {
    upload(values, stream);
    stream.wait();
  }
  ~Array() { cudaFree(data_); }
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  Value* data() const { return data_; }
  size_t size() const { return count_; }

  /// The values must stay valid until the stream has copied them.
  void upload(std::span<const Value> from, const Stream& stream, size_t first = 0) const {
    check(
        cudaMemcpyAsync(data_ + first, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
        "receive data");
  }
  void download(std::span<Value> to, const Stream& stream, size_t first = 0) const {
    check(cudaMemcpyAsync(to.data(), data_ + first, to.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
          "return data");
  }
  void clear(const Stream& stream) const { clear(stream, 0, count_); }
  void clear(const Stream& stream, size_t first, size_t count) const {
    check(cudaMemsetAsync(data_ + first, 0, count * sizeof(Value), stream.get()), "clear memory");
  }

 private:
  Value* data_ = nullptr;
  size_t count_ = 0;
};

/// Host memory that the GPU can access directly.
template <typename Value>
class HostArray {
 public:
  explicit HostArray(size_t count = 0) : count_(count) {
    void* memory = nullptr;
    if (count > 0) check(cudaMallocHost(&memory, count * sizeof(Value)), "access the host's memory");
    data_ = static_cast<Value*>(memory);
  }
  ~HostArray() { cudaFreeHost(data_); }
  HostArray(const HostArray&) = delete;

  Value& operator[](size_t i) { return data_[i]; }
  std::span<Value> span() { return {data_, count_}; }

 private:
  Value* data_ = nullptr;
  size_t count_ = 0;
};

/// Runs `kernel` in these blocks, with `threads` threads in each block.
template <typename... Wanted, typename... Given>
void launch(const Stream& stream, void (*kernel)(Wanted...), dim3 blocks, unsigned threads,
            Given&&... given) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.stream = stream.get();
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Given>(given)...), "start a kernel");
}

inline unsigned blocks_for(size_t count, unsigned each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

}  // namespace trainer::cuda
