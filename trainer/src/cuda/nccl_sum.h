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

  /// Takes a gradient for each of this rank's pieces; may overwrite them. Returns the start of this
  /// rank's slice of the sum over all ranks. With them go the words of `halted` (Engine): each rank then has
  /// a word that is set if any rank had set its own.
  virtual const float* reduce(const Stream& stream, const std::vector<Array<float>>& gradients,
                              const Array<uint32_t>& halted) = 0;

  /// Bytes that this rank sends in an update.
  virtual uint64_t sent() const = 0;

  /// Gathers all slices of the parameters. At first, each rank has only its own slice.
  virtual void gather(const Stream& stream, const Array<float>& parameters) = 0;
};

/// Gives the same bits for any number of ranks up to kShards, and the same as the sum on the hosts: NCCL only
/// transports the gradients; they are added here. Two ranks exchange whole gradients, and each updates all
/// parameters: the bytes are the same as for slices, and no second exchange is needed.
std::unique_ptr<DeviceSum> make_exact_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                 size_t parameters);

/// NCCL's own all-reduce. Each rank updates all parameters.
std::unique_ptr<DeviceSum> make_fast_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                size_t parameters);

}  // namespace trainer::cuda
