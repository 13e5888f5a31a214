#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

namespace trainer {

/// The order in which a run reads its training examples: an endless stream of epochs, each a new permutation
/// of all `examples`. It depends only on the seed and the position, so a resumed run needs no saved state. If
/// the end of an epoch does not fill a batch, examples of the next epoch complete it; no example is left out
/// of an epoch or read twice in it. While the second half of an epoch is read, a thread shuffles the next
/// one, because a GPU would otherwise wait for it.
class Batches {
 public:
  Batches(uint64_t seed, uint32_t examples, uint32_t batch_size);

  uint32_t size() const { return batch_size_; }
  /// The position in the stream of the first example of an update's batch. Updates are counted from 0 here.
  uint64_t first_position(uint64_t update) const { return update * batch_size_; }
  /// The example at a position in the stream.
  uint32_t example(uint64_t position);

 private:
  using Order = std::vector<uint32_t>;

  Order shuffled(uint64_t epoch) const;

  uint64_t seed_;
  uint32_t examples_;
  uint32_t batch_size_;
  std::optional<uint64_t> epoch_;  ///< the epoch in `order_`
  Order order_;
  std::future<Order> next_;  ///< the order of the epoch after `epoch_`, once a thread has begun to shuffle it
};

}  // namespace trainer
