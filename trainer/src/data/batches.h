#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trainer {

/// The order in which a run sees its training examples: an endless stream of epochs, each a fresh permutation
/// of all `examples`. It depends on the seed and the position only, so a resumed run needs no saved state. A
/// batch that does not fit into an epoch is completed from the next one: nothing is left out or seen twice in
/// an epoch.
class Batches {
 public:
  Batches(uint64_t seed, uint32_t examples, uint32_t batch_size);

  uint32_t size() const { return batch_size_; }
  /// Place of the first example of an update's batch in the stream; update 0 is the first.
  uint64_t first_position(uint64_t update) const { return update * batch_size_; }
  /// The example at a place of the stream.
  uint32_t example(uint64_t position);

 private:
  uint64_t seed_;
  uint32_t examples_;
  uint32_t batch_size_;
  std::optional<uint64_t> shuffled_epoch_;  ///< which epoch `order_` holds
  std::vector<uint32_t> order_;
};

}  // namespace trainer
