#include <algorithm>

#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_kernels.h"
#include "cuda/network.h"

namespace trainer::cuda {

namespace {

/// The network of cuda/mlp.cu with three kernels for each update. Evaluations use the plain kernels, which
/// have enough rows to fill a GPU.
template <Precision precision>
class FastMlp : public Network {
 public:
  explicit FastMlp(const NetworkPlan& plan)
      : plan_(plan),
        evaluating_(make_mlp(plan)),
        pixels_(plan.image_rows * plan.image_columns),
        overlaps_(can_overlap()) {
    // Enough blocks for the multiprocessors. The number of parts must not depend on the number of ranks.
    const uint32_t tiles = blocks_for(plan.batch_size, kTileSide) * blocks_for(plan.hidden, kTileSide),
                   chunks = blocks_for(pixels_, kForwardDepth),
                   most = std::clamp(kBlocks / tiles, 1u, kMostParts);
    depth_ = blocks_for(chunks, most) * kForwardDepth;
    parts_count_ = blocks_for(pixels_, depth_);
    const size_t values = size_t{plan.most_rows} * plan.hidden;
    parts_ = Array<float>(parts_count_ * values);
    values_ = Array<float>(values);
    hidden_gradients_ = Array<float>(values);
    logit_gradients_ = Array<float>(size_t{plan.most_rows} * plan.classes);
  }

  bool reads_images() const override { return true; }
  bool moves_by_adam() const override { return true; }

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    put(stream, parameters, piece, result, nullptr);
  }

  void move_by_adam(const Stream& stream, const DevicePiece& piece, const DeviceGradient& result,
                    const DeviceSlice& slice) override {
    put(stream, slice.parameters, piece, result, &slice);
  }

  void count_correct(const Stream& stream, const float* parameters, const float* images,
                     const uint8_t* labels, uint32_t rows, unsigned* correct) override {
    evaluating_->count_correct(stream, parameters, images, labels, rows, correct);
  }

 private:
  static constexpr uint32_t kTileSide = 64, kBlocks = 264, kMostParts = 8;

  void put(const Stream& stream, const float* parameters, const DevicePiece& piece,
           const DeviceGradient& result, const DeviceSlice* slice) const {
    const ImageRows x{piece.images, piece.image_labels, piece.examples, piece.rows, pixels_};
    const float* bias = parameters + size_t{pixels_} * plan_.hidden;
    const float* head = bias + plan_.hidden;
    fast_forward<precision>(stream, overlaps_ && piece.follows_move,
                            {x, plan_.hidden, depth_, parts_count_, parameters, parts_.data()});
    const Dropout dropout{plan_.seed, dropout_threshold(plan_.keep), 1 / plan_.keep, piece.first_position,
                          piece.first_row};
    fast_head(
        stream, overlaps_,
        {x, plan_.hidden, parts_count_, parts_.data(), bias, head,
         head + size_t{plan_.hidden} * plan_.classes, dropout, 1.0f / static_cast<float>(piece.batch_size),
         values_.data(), hidden_gradients_.data(), logit_gradients_.data(), result.losses, result.halted});
    FastGradient gradient{x,
                          plan_.hidden,
                          values_.data(),
                          hidden_gradients_.data(),
                          logit_gradients_.data(),
                          {},
                          result.gradient,
                          {}};
    gradient.shards.count = piece.shards;
    std::copy_n(piece.host_bounds, piece.shards + 1, gradient.shards.bounds);
    if (slice) {
      gradient.adam = {slice->parameters, slice->moments[0], slice->moments[1], slice->coefficients,
                       slice->halted};
    }
    fast_gradient<precision>(stream, overlaps_, gradient);
  }

  NetworkPlan plan_;
  std::unique_ptr<Network> evaluating_;
  uint32_t pixels_;
  bool overlaps_;
  uint32_t depth_, parts_count_;  ///< of the forward product: pixels in a part, and the number of parts
  Array<float> parts_, values_, hidden_gradients_, logit_gradients_;
};

}  // namespace

std::unique_ptr<Network> make_fast_mlp(const NetworkPlan& plan) {
  switch (plan.precision) {
    case Precision::tf32: return std::make_unique<FastMlp<Precision::tf32>>(plan);
    case Precision::bf16: return std::make_unique<FastMlp<Precision::bf16>>(plan);
    default: return std::make_unique<FastMlp<Precision::fp32>>(plan);
  }
}

}  // namespace trainer::cuda
