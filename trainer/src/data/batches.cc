#include "data/batches.h"

#include <numeric>
#include <utility>

#include "base/random.h"

namespace trainer {

Batches::Batches(uint64_t seed, uint32_t examples, uint32_t batch_size)
    : seed_(seed), examples_(examples), batch_size_(batch_size), order_(examples) {}

uint32_t Batches::example(uint64_t position) {
  const uint64_t epoch = position / examples_;
  if (shuffled_epoch_ != epoch) {
    std::iota(order_.begin(), order_.end(), 0u);
    for (uint32_t left = examples_; left > 1; --left) {  // Fisher-Yates shuffle
      const auto words = draw(seed_, Purpose::shuffle, epoch, left);
      const uint64_t bits = uint64_t{words[0]} << 32 | words[1];
      const auto pick = static_cast<uint32_t>(static_cast<unsigned __int128>(bits) * left >> 64);
      std::swap(order_[left - 1], order_[pick]);
    }
    shuffled_epoch_ = epoch;
  }
  return order_[position % examples_];
}

}  // namespace trainer
