#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "comm/communicator.h"
#include "comm/nccl_library.h"

namespace trainer {

/// What a rank tells another from its GPU's memory, or hears: floats.
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
  std::string gpu;                              ///< what no other GPU is called
  std::chrono::steady_clock::duration timeout;  ///< for all to be joined
  /// How long ncclCommAbort() may take. It has hung (github.com/NVIDIA/nccl/issues/1777).
  std::chrono::steady_clock::duration abort_timeout = std::chrono::seconds(2);
  /// How long wait() waits for ranks that are there, one of which may hang; 0: for ever.
  std::chrono::seconds patience{0};
};

/// The ranks of a communicator, joined by NCCL as well. What it does is put into streams. The communicator's
/// connections tell that a rank is lost, which NCCL does not notice.
class NcclLink {
 public:
  /// All ranks call it, and all get a link, or none: then `why` says the same to all. Throws PeerLost.
  static std::unique_ptr<NcclLink> connect(Communicator& ranks, const NcclPlan& plan, std::string& why);
  ~NcclLink();
  NcclLink(const NcclLink&) = delete;

  /// As Communicator::exchange(), from and to GPUs.
  void exchange(std::span<const DeviceSend> sends, std::span<const DeviceReceive> receives,
                nccl::CudaStream stream);
  /// The sum over all ranks, in an order that NCCL chooses.
  void add_up(float* values, size_t count, nccl::CudaStream stream);
  /// The largest over all ranks.
  void maximum(uint32_t* values, size_t count, nccl::CudaStream stream);

  /// Returns when `done` does so. Throws PeerLost as soon as another rank is lost, NCCL reports an error or
  /// the plan's patience is over; the link is then aborted, and where even that hangs, so may all else that
  /// waits for the GPU: this process ends itself, with kStartAgain, unless it does so soon.
  void wait(const std::function<bool()>& done);

  int version() const { return library_.version; }

 private:
  NcclLink(const nccl::Library& library, Communicator& ranks, const NcclPlan& plan)
      : library_(library), ranks_(ranks), plan_(plan) {}

  std::string join(const nccl::UniqueId& id);
  std::string progress(bool& finished);
  void settle(nccl::Result result, const char* what);
  bool end(nccl::Result (*how)(nccl::Comm));
  bool abort();
  [[noreturn]] void lose(const std::string& why);

  const nccl::Library& library_;
  Communicator& ranks_;
  NcclPlan plan_;
  nccl::Comm comm_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();  ///< when it was made
};

}  // namespace trainer
