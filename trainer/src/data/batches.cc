#include "data/batches.h"

#include <numeric>
#include <utility>

#include "base/random.h"

namespace trainer {

Batches::Batches(uint64_t seed, uint32_t examples, uint32_t batch_size)
    : seed_(seed), examples_(examples), batch_size_(batch_size) {}

Batches::Order Batches::shuffled(uint64_t epoch) const {
  Order order(examples_);
  std::iota(order.begin(), order.end(), 0u);
  for (uint32_t left = examples_; left > 1; --left) {  // Fisher-Yates shuffle
    const auto words = draw(seed_, Purpose::shuffle, epoch, left);
    const uint64_t bits = uint64_t{words[0]} << 32 | words[1];
    const auto pick = static_cast<uint32_t>(static_cast<unsigned __int128>(bits) * left >> 64);
    std::swap(order[left - 1], order[pick]);
  }
  return order;
}

uint32_t Batches::example(uint64_t position) {
  const uint64_t epoch = position / examples_, place = position % examples_;
  if (epoch_ != epoch) {
    const bool is_next = epoch_ && epoch == *epoch_ + 1 && next_.valid();
    order_ = is_next ? next_.get() : shuffled(epoch);
    next_ = {};
    epoch_ = epoch;
  }
  if (place >= examples_ / 2 && !next_.valid()) {
    next_ = std::async(std::launch::async, [seed = seed_, examples = examples_, next = epoch + 1] {
      return Batches(seed, examples, 1).shuffled(next);
    });
  }
  return order_[place];
}

}  // namespace trainer
