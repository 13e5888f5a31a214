#pragma once

#include <memory>
#include <vector>

#include "comm/nccl_link.h"
#include "cuda/memory.h"

namespace trainer::cuda {

/// A GradientSum (comm/gradient_sum.h) among GPUs that NCCL joins. Calls put work into a stream; all ranks
/// make them.
class DeviceSum {
 public:
  virtual ~DeviceSum() = default;

  /// The part of the parameters that this rank moves.
  struct Slice {
    size_t first, count;
  };
  virtual Slice slice() const = 0;

  /// From a gradient for each of this rank's pieces, which it may overwrite, the sum over all ranks, of the
  /// slice: where that begins.
  virtual const float* reduce(const Stream& stream, const std::vector<Array<float>>& gradients) = 0;

  /// Bytes that this rank sends in an update.
  virtual uint64_t sent() const = 0;

  /// All slices of the parameters, of which each rank has its own.
  virtual void gather(const Stream& stream, const Array<float>& parameters) = 0;
};

/// The same bits for any number of ranks up to kShards, and those of the sum that goes through the hosts:
/// gradients are only sent by NCCL, and added here.
std::unique_ptr<DeviceSum> make_exact_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                 size_t parameters);

/// NCCL's own all-reduce. Each rank moves all parameters.
std::unique_ptr<DeviceSum> make_fast_device_sum(NcclLink& link, uint32_t world, size_t parameters);

}  // namespace trainer::cuda
