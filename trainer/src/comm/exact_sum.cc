#include <functional>

#include "base/vectorize.h"
#include "comm/collectives.h"
#include "comm/gradient_sum.h"
#include "comm/shards.h"

namespace trainer {

namespace {

KML_VECTORIZE
void add(Real* __restrict sum, const Real* __restrict values, size_t count) {
  for (size_t i = 0; i < count; ++i) sum[i] += values[i];
}

constexpr Subtree kAll{0, kShards};

/// Rank r receives slice r of each subtree's sum from the rank that computed it, and adds these up.
class ExactSum : public GradientSum {
 public:
  ExactSum(Communicator& communicator, size_t parameters)
      : communicator_(communicator), slices_(slice_bounds(parameters, communicator.world())) {
    for (uint32_t rank = 0; rank < communicator.world(); ++rank) {
      for (const Subtree& tree : subtrees(rank, communicator.world())) leaves_.push_back({rank, tree});
    }
    received_.resize(leaves_.size());
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].rank != communicator.rank()) received_[i].resize(slice_size(communicator.rank()));
    }
  }

  std::vector<std::vector<uint32_t>> pieces(uint32_t batch_size) const override {
    const auto bounds = shard_bounds(batch_size);
    std::vector<std::vector<uint32_t>> result;
    for (const Subtree& tree : subtrees(communicator_.rank(), communicator_.world())) {
      result.emplace_back(&bounds[tree.first], &bounds[tree.last] + 1);
    }
    return result;
  }

  std::span<const Real> reduce(std::span<std::vector<Real>> gradients,
                               std::span<std::byte> reports) override {
    const uint32_t rank = communicator_.rank();
    auto [sends, receives] = all_gather_messages(communicator_, reports);
    std::vector<Real*> sums;  // the values of this rank's slice, one for each leaf
    for (size_t leaf = 0, mine = 0; leaf < leaves_.size(); ++leaf) {
      if (leaves_[leaf].rank != rank) {
        receives.push_back({leaves_[leaf].rank, std::as_writable_bytes(std::span(received_[leaf]))});
        sums.push_back(received_[leaf].data());
        continue;
      }
      const std::span gradient(gradients[mine++]);
      for (uint32_t peer = 0; peer < communicator_.world(); ++peer) {
        if (peer != rank)
          sends.push_back({peer, std::as_bytes(gradient.subspan(slices_[peer], slice_size(peer)))});
      }
      sums.push_back(&gradient[slices_[rank]]);
    }
    communicator_.exchange(sends, receives);
    const auto join = [&](Real* left, const Real* right) {
      add(left, right, slice_size(rank));
      return left;
    };
    return {sum_of<Real*>(kAll, sums, join), slice_size(rank)};
  }

  double add_losses(std::span<const double> losses) const override {
    return sum_of(kAll, losses, std::plus<double>());
  }

  void gather(std::span<Real> parameters) override {
    all_gather(communicator_, std::as_writable_bytes(parameters), in_bytes(slices_, sizeof(Real)));
  }

 private:
  struct Leaf {
    uint32_t rank;
    Subtree tree;
  };

  size_t slice_size(uint32_t rank) const { return slices_[rank + 1] - slices_[rank]; }

  /// Adds up a subtree, given the values of its leaves.
  template <typename Value, typename Join>
  Value sum_of(Subtree tree, std::span<const Value> values, const Join& join) const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].tree == tree) return values[i];
    }
    const uint32_t middle = (tree.first + tree.last) / 2;
    const Value left = sum_of({tree.first, middle}, values, join);
    return join(left, sum_of({middle, tree.last}, values, join));
  }

  Communicator& communicator_;
  std::vector<size_t> slices_;
  std::vector<Leaf> leaves_;                 ///< the leaves of all ranks, in the order of the shards
  std::vector<std::vector<Real>> received_;  ///< the received sums, one for each leaf of another rank
};

}  // namespace

std::unique_ptr<GradientSum> make_exact_sum(Communicator& communicator, size_t parameters) {
  return std::make_unique<ExactSum>(communicator, parameters);
}

}  // namespace trainer
