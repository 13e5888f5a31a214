#pragma once

#include <memory>
#include <vector>

#include "comm/nccl_link.h"
#include "cuda/memory.h"

namespace trainer::cuda {

/// A GradientSum (comm/gradient_sum.h) for GPUs that NCCL links. Its functions put work into a stream; all
/// ranks must call them.
class DeviceSum {
 public:
  virtual ~DeviceSum() = default;

  /// The part of the parameters that this rank updates.
  struct Slice {
    size_t first, count;
  };
  virtual Slice slice() const = 0;

  /// Takes a gradient for each of this rank's pieces, and may overwrite them. Returns the start of this
  /// rank's slice of the sum over all ranks. Also exchanges the words of `halted` (Engine): afterwards, each
  /// rank has a word that is set if any rank had set its own.
  virtual const float* reduce(const Stream& stream, const std::vector<Array<float>>& gradients,
                              const Array<uint32_t>& halted) = 0;

  /// The number of bytes that this rank sends in an update.
  virtual uint64_t sent() const = 0;

  /// Gives each rank all slices of the parameters. At first, each rank has only its own slice.
  virtual void gather(const Stream& stream, const Array<float>& parameters) = 0;
};

/// A sum with the same bits for any number of ranks up to kShards, and the same as on the hosts. NCCL only
/// transports the gradients; they are added here. If there are only two ranks, they exchange whole gradients,
/// and each updates all parameters. This takes as many bytes as slices would, and needs no second exchange.
std::unique_ptr<DeviceSum> make_exact_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                 size_t parameters);

/// The sum by NCCL's own all-reduce. Each rank updates all parameters.
std::unique_ptr<DeviceSum> make_fast_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                size_t parameters);

}  // namespace trainer::cuda
