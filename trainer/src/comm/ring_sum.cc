#include <numeric>

#include "comm/collectives.h"
#include "comm/gradient_sum.h"
#include "comm/shards.h"

namespace trainer {

namespace {

/// Each rank computes a share of the rows. The slices of the sum travel around the ring from neighbor to
/// neighbor, and each rank adds its own part. Slice r ends at rank r.
class RingSum : public GradientSum {
 public:
  RingSum(Communicator& communicator, size_t parameters)
      : communicator_(communicator), slices_(slice_bounds(parameters, communicator.world())) {}

  std::vector<std::vector<uint32_t>> pieces(uint32_t batch_size) const override {
    const uint64_t rank = communicator_.rank(), world = communicator_.world();
    const auto first = static_cast<uint32_t>(batch_size * rank / world);
    const auto last = static_cast<uint32_t>(batch_size * (rank + 1) / world);
    std::vector<uint32_t> piece;
    for (const uint32_t bound : shard_bounds(last - first)) piece.push_back(first + bound);
    return {piece};
  }

  std::span<const Real> reduce(std::span<std::vector<Real>> gradients,
                               std::span<std::byte> reports) override {
    const std::span<Real> sum = gradients[0];
    const uint32_t world = communicator_.world(), rank = communicator_.rank();
    const uint32_t next = (rank + 1) % world, before = (rank + world - 1) % world;
    // The reports are sent with the first step.
    Messages messages = all_gather_messages(communicator_, reports);
    for (uint32_t step = 1; step < world; ++step) {
      const std::span<Real> mine = slice(sum, (rank + world - step) % world);
      const std::span<Real> theirs = slice(sum, (rank + 2 * world - step - 1) % world);
      received_.resize(theirs.size());
      messages.sends.push_back({next, std::as_bytes(mine)});
      messages.receives.push_back({before, std::as_writable_bytes(std::span(received_))});
      communicator_.exchange(messages.sends, messages.receives);
      messages = {};
      for (size_t i = 0; i < theirs.size(); ++i) theirs[i] += received_[i];
    }
    return slice(sum, rank);
  }

  double add_losses(std::span<const double> losses) const override {
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  void gather(std::span<Real> parameters) override {
    ring_all_gather(communicator_, std::as_writable_bytes(parameters), in_bytes(slices_, sizeof(Real)));
  }

 private:
  std::span<Real> slice(std::span<Real> all, uint32_t rank) const {
    return all.subspan(slices_[rank], slices_[rank + 1] - slices_[rank]);
  }

  Communicator& communicator_;
  std::vector<size_t> slices_;
  std::vector<Real> received_;
};

}  // namespace

std::unique_ptr<GradientSum> make_ring_sum(Communicator& communicator, size_t parameters) {
  return std::make_unique<RingSum>(communicator, parameters);
}

}  // namespace trainer
