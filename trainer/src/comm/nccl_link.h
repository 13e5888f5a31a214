#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>

#include "comm/communicator.h"
#include "comm/nccl_library.h"

namespace trainer {

/// Numbers in this rank's GPU memory to send to another rank, or to receive from one.
struct DeviceSend {
  uint32_t to;
  const float* data;
  size_t count;
};
struct DeviceReceive {
  uint32_t from;
  float* data;
  size_t count;
};

struct NcclPlan {
  std::string gpu;                              ///< unique among the GPUs of all hosts
  std::chrono::steady_clock::duration timeout;  ///< the time limit for joining all ranks
  /// The time that ncclCommAbort() may take. It sometimes hangs (github.com/NVIDIA/nccl/issues/1777).
  std::chrono::steady_clock::duration abort_timeout = std::chrono::seconds(2);
  /// How long wait() waits for ranks that are still connected, because one of them may hang. 0 means without
  /// limit.
  std::chrono::seconds patience{0};
};

/// A link by NCCL between the ranks of a communicator. Its functions put their work into streams. NCCL does
/// not notice that a rank is lost; the communicator's connections do.
class NcclLink {
 public:
  /// Links all ranks. All of them must call this. Either each gets a link, or none does, and `why` has the
  /// same reason on each rank. Throws PeerLost.
  static std::unique_ptr<NcclLink> connect(Communicator& ranks, const NcclPlan& plan, std::string& why);
  /// Destroy all graphs with work of the link first. NCCL may still release memory in a separate thread, so
  /// the process must end by _exit().
  ~NcclLink();
  NcclLink(const NcclLink&) = delete;

  /// Like Communicator::exchange(), but between GPUs.
  void exchange(std::span<const DeviceSend> sends, std::span<const DeviceReceive> receives,
                nccl::CudaStream stream);
  /// Replaces the values by their sums over all ranks, added in an order that NCCL chooses, and the flag by
  /// its maximum.
  void add_up(float* values, size_t count, uint32_t* flag, nccl::CudaStream stream);

  /// Returns when `done` returns true. Throws PeerLost, and aborts the link, as soon as another rank is lost,
  /// NCCL reports an error, or the plan's patience is over. The abort, or other code that waits for the GPU,
  /// may hang. Therefore this process is ended with kStartAgain if it does not soon end by itself.
  void wait(const std::function<bool()>& done);

  int version() const { return library_.version; }

 private:
  NcclLink(const nccl::Library& library, Communicator& ranks, const NcclPlan& plan)
      : library_(library), ranks_(ranks), plan_(plan) {}

  std::string join(const nccl::UniqueId& id);
  std::string progress(bool& finished);
  void settle(nccl::Result result, const char* what);
  bool finalize();
  void begin_end(nccl::Result (*how)(nccl::Comm));
  bool has_ended();
  [[noreturn]] void lose(const std::string& why);

  const nccl::Library& library_;
  Communicator& ranks_;
  NcclPlan plan_;
  nccl::Comm comm_ = nullptr;
  std::future<void> ended_;
  int exceptions_ = std::uncaught_exceptions();  ///< at construction
};

}  // namespace trainer
