#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/real.h"
#include "comm/communicator.h"

namespace trainer {

/// Divides an update's batch among ranks and sums their gradients.
class GradientSum {
 public:
  virtual ~GradientSum() = default;

  /// The rows of the batch that this rank computes, divided into pieces. Each piece is given by the bounds of
  /// its 1, 2, 4 or 8 shards, whose sums are added pairwise.
  virtual std::vector<std::vector<uint32_t>> pieces(uint32_t batch_size) const = 0;

  /// Adds up the gradients of all ranks. Takes one gradient for each of this rank's pieces, and may overwrite
  /// them. Returns this rank's slice (slice_bounds()) of the sum, which is valid until the next call.
  /// `reports` has a part of the same size for each rank. Before the call, each rank has only its own part,
  /// and after it, all parts. The parts are sent together with the gradients. All ranks must call this.
  /// Throws PeerLost.
  virtual std::span<const Real> reduce(std::span<std::vector<Real>> gradients,
                                       std::span<std::byte> reports) = 0;

  /// Combines the losses of all ranks' pieces, in rank order.
  virtual double add_losses(std::span<const double> losses) const = 0;

  /// Gives each rank all slices of the parameters. At first, each rank has only its own slice.
  virtual void gather(std::span<Real> parameters) = 0;
};

/// A sum with the same bits for any number of ranks up to kShards.
std::unique_ptr<GradientSum> make_exact_sum(Communicator& communicator, size_t parameters);

/// A sum around rings, for any number of ranks. The last bits depend on the number of ranks.
std::unique_ptr<GradientSum> make_ring_sum(Communicator& communicator, size_t parameters);

}  // namespace trainer
