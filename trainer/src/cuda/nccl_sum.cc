#include "cuda/nccl_sum.h"

#include "comm/collectives.h"
#include "comm/shards.h"
#include "cuda/add.h"

namespace trainer::cuda {

namespace {

/// The sum of comm/exact_sum.cc on GPUs: rank r receives slice r of each subtree's sum from the rank that
/// computed it, and adds these up. If there are two ranks, each one's slice is the whole array.
class ExactSum : public DeviceSum {
 public:
  ExactSum(NcclLink& link, uint32_t rank, uint32_t world, size_t parameters)
      : link_(link),
        rank_(rank),
        world_(world),
        whole_(world == 2 ? parameters : 0),
        slices_(slice_bounds(parameters, world)) {
    for (uint32_t r = 0; r < world; ++r) {
      for (const Subtree& tree : subtrees(r, world)) {
        leaves_.push_back({r, tree});
        received_.emplace_back(r == rank ? 0 : count(rank));
      }
    }
  }

  Slice slice() const override { return {first(rank_), count(rank_)}; }

  const float* reduce(const Stream& stream, const std::vector<Array<float>>& gradients,
                      const Array<uint32_t>& halted) override {
    std::vector<DeviceSend> sends;
    std::vector<DeviceReceive> receives;
    std::vector<float*> sums;  // the values of this rank's slice, one for each leaf
    for (size_t leaf = 0, mine = 0; leaf < leaves_.size(); ++leaf) {
      if (leaves_[leaf].rank != rank_) {
        receives.push_back({leaves_[leaf].rank, received_[leaf].data(), count(rank_)});
        sums.push_back(received_[leaf].data());
        continue;
      }
      float* gradient = gradients[mine++].data();
      for (uint32_t peer = 0; peer < world_; ++peer) {
        if (peer != rank_) sends.push_back({peer, gradient + first(peer), count(peer)});
      }
      sums.push_back(gradient + first(rank_));
    }
    // the flags have the type float because NCCL only copies them
    float* flags = reinterpret_cast<float*>(halted.data());
    for (uint32_t peer = 0; peer < world_; ++peer) {
      if (peer == rank_) continue;
      sends.push_back({peer, flags + rank_, 1});
      receives.push_back({peer, flags + peer, 1});
    }
    link_.exchange(sends, receives, stream.get());
    return sum_of(stream, {0, kShards}, sums);
  }

  uint64_t sent() const override {
    if (whole_) return sizeof(float) * whole_;
    const size_t others = slices_.back() - count(rank_);
    return sizeof(float) * (subtrees(rank_, world_).size() * others + (world_ - 1) * count(rank_));
  }

  void gather(const Stream& stream, const Array<float>& parameters) override {
    if (whole_) return;
    std::vector<DeviceSend> sends;
    std::vector<DeviceReceive> receives;
    for (uint32_t peer = 0; peer < world_; ++peer) {
      if (peer == rank_) continue;
      sends.push_back({peer, parameters.data() + slices_[rank_], count(rank_)});
      receives.push_back({peer, parameters.data() + slices_[peer], count(peer)});
    }
    link_.exchange(sends, receives, stream.get());
  }

 private:
  struct Leaf {
    uint32_t rank;
    Subtree tree;
  };

  size_t first(uint32_t rank) const { return whole_ ? 0 : slices_[rank]; }
  size_t count(uint32_t rank) const { return whole_ ? whole_ : slices_[rank + 1] - slices_[rank]; }

  float* sum_of(const Stream& stream, Subtree tree, const std::vector<float*>& sums) const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].tree == tree) return sums[i];
    }
    const uint32_t middle = (tree.first + tree.last) / 2;
    float* left = sum_of(stream, {tree.first, middle}, sums);
    add(stream, left, sum_of(stream, {middle, tree.last}, sums), count(rank_));
    return left;
  }

  NcclLink& link_;
  uint32_t rank_, world_;
  size_t whole_;  ///< the number of parameters, if each rank updates all; otherwise 0
  std::vector<size_t> slices_;
  std::vector<Leaf> leaves_;            ///< the leaves of all ranks, in the order of the shards
  std::vector<Array<float>> received_;  ///< the received sums, one for each leaf of another rank
};

class FastSum : public DeviceSum {
 public:
  FastSum(NcclLink& link, uint32_t rank, uint32_t world, size_t parameters)
      : link_(link), rank_(rank), world_(world), parameters_(parameters) {}

  Slice slice() const override { return {0, parameters_}; }

  const float* reduce(const Stream& stream, const std::vector<Array<float>>& gradients,
                      const Array<uint32_t>& halted) override {
    link_.add_up(gradients[0].data(), parameters_, halted.data() + rank_, stream.get());
    return gradients[0].data();
  }

  /// The amount for a ring, which is NCCL's default algorithm.
  uint64_t sent() const override { return 2 * sizeof(float) * parameters_ * (world_ - 1) / world_; }

  void gather(const Stream&, const Array<float>&) override {}

 private:
  NcclLink& link_;
  uint32_t rank_, world_;
  size_t parameters_;
};

}  // namespace

std::unique_ptr<DeviceSum> make_exact_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                 size_t parameters) {
  return std::make_unique<ExactSum>(link, rank, world, parameters);
}

std::unique_ptr<DeviceSum> make_fast_device_sum(NcclLink& link, uint32_t rank, uint32_t world,
                                                size_t parameters) {
  return std::make_unique<FastSum>(link, rank, world, parameters);
}

}  // namespace trainer::cuda
