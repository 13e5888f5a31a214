#include <algorithm>

#include "cuda/fast/fits.h"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_persistent.h"
#include "cuda/head.cuh"
#include "cuda/network.h"
#include "cuda/sums.h"

namespace trainer::cuda {

namespace {

/// The network of cuda/mlp.cu, with three kernels for each update. If this process trains alone with Adam,
/// and the GPU can hold all weights in shared memory, it may use one kernel for many updates. Both give the
/// same bits.
template <Precision precision>
class FastMlp : public Network {
 public:
  explicit FastMlp(const NetworkPlan& plan)
      : plan_(plan), pixels_(plan.image_rows * plan.image_columns), overlaps_(can_overlap()) {
    // Chooses enough parts for all multiprocessors. Their number must not depend on the number of ranks.
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
    evaluated_ = Array<float>(size_t{kEvaluated} * plan.hidden);
    const ImageRows x{nullptr, nullptr, nullptr, plan.most_rows, pixels_};
    persistent_ = plan.may_persist && plan.most_rows == plan.batch_size &&
                  fast_updates_fit<precision>(
                      {x, plan.hidden, depth_, {}, plan.most_rows + kMostShards * (kGroupRows - 1)});
    if (!persistent_) return;
    logits_ = Array<float>(size_t{plan.most_rows} * plan.hidden / kUnits * plan.classes);
    arrivals_ = Array<uint32_t>(1);
  }

  bool reads_images() const override { return true; }
  bool moves_by_adam() const override { return true; }

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    put(stream, parameters, false, piece, result, nullptr);
  }

  void move_by_adam(const Stream& stream, const DevicePiece& first, const DeviceGradient& first_result,
                    const DeviceSlice& first_slice, const Job* jobs, uint32_t count) override {
    if (persistent_) return put_together(stream, first, first_result, first_slice, jobs, count);
    DevicePiece piece = first;
    DeviceGradient result = first_result;
    DeviceSlice slice = first_slice;
    for (uint32_t job = 0; job < count; ++job) {
      piece.first_position = &jobs[job].first_position;
      slice.coefficients = &jobs[job].coefficients;
      put(stream, slice.parameters, job > 0, piece, result, &slice);
      piece.examples += piece.rows;
      result.losses += piece.rows;
    }
  }

  bool evaluates_bytes() const override { return true; }
  void count_correct(const Stream& stream, const float* parameters, const DeviceImages& images,
                     unsigned* correct) override {
    const float* bias = parameters + size_t{pixels_} * plan_.hidden;
    const float* head = bias + plan_.hidden;
    for (uint32_t first = 0; first < images.rows; first += kEvaluated) {
      const uint32_t count = std::min(kEvaluated, images.rows - first);
      // There are enough rows to fill a GPU with one part.
      fast_forward<precision>(stream, false,
                              {{images.bytes, images.labels, images.indexes + first, count, pixels_},
                               plan_.hidden,
                               blocks_for(pixels_, kForwardDepth) * kForwardDepth,
                               1,
                               parameters,
                               evaluated_.data()});
      finish_dense(stream, evaluated_.data(), 1, count, plan_.hidden, bias, {}, evaluated_.data());
      count_head(stream, {plan_.hidden, plan_.classes, head, head + size_t{plan_.hidden} * plan_.classes},
                 evaluated_.data(), images.labels + first, count, correct);
    }
  }

 private:
  static constexpr uint32_t kTileSide = 64, kBlocks = 264, kMostParts = 8, kMostShards = 8;
  static constexpr uint32_t kEvaluated = 16384;  ///< how many images are evaluated at a time

  ImageRows rows_of(const DevicePiece& piece) const {
    return {piece.images, piece.image_labels, piece.examples, piece.rows, pixels_};
  }
  Dropout dropout_of(const DevicePiece& piece) const {
    return {plan_.seed, dropout_threshold(plan_.keep), 1 / plan_.keep, piece.first_position, piece.first_row};
  }
  static Shards shards_of(const DevicePiece& piece) {
    Shards shards{{}, piece.shards};
    std::copy_n(piece.host_bounds, piece.shards + 1, shards.bounds);
    return shards;
  }

  void put_together(const Stream& stream, const DevicePiece& piece, const DeviceGradient& result,
                    const DeviceSlice& slice, const Job* jobs, uint32_t count) const {
    FastUpdates updates{rows_of(piece), plan_.hidden, depth_, shards_of(piece), 0};
    for (uint32_t shard = 0; shard < piece.shards; ++shard) {
      const uint32_t rows = piece.host_bounds[shard + 1] - piece.host_bounds[shard];
      updates.padded_rows += blocks_for(rows, kGroupRows) * kGroupRows;
    }
    updates.updates = count;
    updates.parameters = slice.parameters;
    updates.first = slice.moments[0], updates.second = slice.moments[1];
    updates.jobs = jobs;
    updates.dropout = dropout_of(piece);
    updates.share = 1.0f / static_cast<float>(piece.batch_size);
    updates.logits = logits_.data(), updates.logit_gradients = logit_gradients_.data();
    updates.losses = result.losses, updates.halted = result.halted;
    updates.arrivals = arrivals_.data();
    arrivals_.clear(stream);
    fast_updates<precision>(stream, updates);
  }

  /// `follows_move` says whether the last kernel in the stream is from a put() with a slice.
  void put(const Stream& stream, const float* parameters, bool follows_move, const DevicePiece& piece,
           const DeviceGradient& result, const DeviceSlice* slice) const {
    const ImageRows x = rows_of(piece);
    const float* bias = parameters + size_t{pixels_} * plan_.hidden;
    const float* head = bias + plan_.hidden;
    fast_forward<precision>(stream, overlaps_ && follows_move,
                            {x, plan_.hidden, depth_, parts_count_, parameters, parts_.data()});
    fast_head(stream, overlaps_,
              {x, plan_.hidden, parts_count_, parts_.data(), bias, head,
               head + size_t{plan_.hidden} * plan_.classes, dropout_of(piece),
               1.0f / static_cast<float>(piece.batch_size), values_.data(), hidden_gradients_.data(),
               logit_gradients_.data(), result.losses, result.halted});
    FastGradient gradient{x,
                          plan_.hidden,
                          values_.data(),
                          hidden_gradients_.data(),
                          logit_gradients_.data(),
                          shards_of(piece),
                          result.gradient,
                          {}};
    if (slice) {
      gradient.adam = {slice->parameters, slice->moments[0], slice->moments[1], slice->coefficients,
                       slice->halted};
    }
    fast_gradient<precision>(stream, overlaps_, gradient);
  }

  NetworkPlan plan_;
  uint32_t pixels_;
  bool overlaps_;
  /// for the forward product: the number of pixels in a part, and the number of parts
  uint32_t depth_, parts_count_;
  Array<float> parts_, values_, hidden_gradients_, logit_gradients_, evaluated_;
  bool persistent_;           ///< whether one kernel can perform many updates
  Array<float> logits_;       ///< memory for the logits of that kernel
  Array<uint32_t> arrivals_;  ///< for the barriers of that kernel's blocks
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
