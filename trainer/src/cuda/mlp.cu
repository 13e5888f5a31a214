#include <algorithm>

#include "cuda/head.cuh"
#include "cuda/layers.cuh"
#include "cuda/network.h"

namespace trainer::cuda {

namespace {

/// The network of model/mlp.h: pixels, hidden ReLU units with dropout, classes.
template <Precision precision>
class Mlp : public Network {
 public:
  explicit Mlp(const NetworkPlan& plan)
      : plan_(plan),
        pixels_(plan.image_rows * plan.image_columns),
        hidden_(size_t{plan.most_rows} * plan.hidden),
        hidden_gradients_(size_t{plan.most_rows} * plan.hidden),
        logit_gradients_(size_t{plan.most_rows} * plan.classes),
        evaluated_(size_t{kEvaluated} * plan.hidden) {}

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    const Dropout dropout{plan_.seed, dropout_threshold(plan_.keep), 1 / plan_.keep, piece.first_position,
                          piece.first_row};
    forward(stream, parameters, piece.pixels, piece.rows, plan_.batch_size, hidden_.data(), dropout);
    train_head(stream, head(parameters), hidden_.data(), piece.labels, piece.rows, piece.batch_size,
               dropout.scale,
               {result.losses, result.halted, logit_gradients_.data(), hidden_gradients_.data()});
    // Runs a small product in parallel with a large one.
    forked_.record(stream);
    forked_.hold_up(beside_);
    multiply(beside_, DenseGradient<TileShape<Precision::fp32, 32, 32, 16>>{
                          plan_.hidden + 1, plan_.classes, hidden_.data(), logit_gradients_.data(),
                          piece.bounds, piece.shards, result.gradient + head_offset()});
    joined_.record(beside_);
    multiply(stream, DenseGradient<TileShape<precision, 32, 32, 16>>{pixels_ + 1, plan_.hidden, piece.pixels,
                                                                     hidden_gradients_.data(), piece.bounds,
                                                                     piece.shards, result.gradient});
    joined_.hold_up(stream);
  }

  void count_correct(const Stream& stream, const float* parameters, const DeviceImages& images,
                     unsigned* correct) override {
    for (uint32_t first = 0; first < images.rows; first += kEvaluated) {
      const uint32_t count = std::min(kEvaluated, images.rows - first);
      forward(stream, parameters, images.pixels + size_t{first} * pixels_, count, kEvaluated,
              evaluated_.data(), {});
      count_head(stream, head(parameters), evaluated_.data(), images.labels + first, count, correct);
    }
  }

 private:
  static constexpr uint32_t kEvaluated = 16384;  ///< how many images are evaluated at a time

  size_t head_offset() const { return (size_t{pixels_} + 1) * plan_.hidden; }
  Head head(const float* parameters) const {
    const float* weights = parameters + head_offset();
    return {plan_.hidden, plan_.classes, weights, weights + size_t{plan_.hidden} * plan_.classes};
  }

  /// `typical_rows` determines the size of the tiles. Larger tiles use loaded data more often, but if there
  /// are too few of them, most of the GPU is idle.
  void forward(const Stream& stream, const float* parameters, const float* x, uint32_t rows,
               uint32_t typical_rows, float* out, const Dropout& dropout) {
    const float* bias = parameters + size_t{pixels_} * plan_.hidden;
    const auto with = [&]<typename Shape>(Shape) {
      multiply(stream, DenseForward<Shape>{rows, plan_.hidden, pixels_, x, parameters, bias, out, dropout});
    };
    if (typical_rows >= 1024) {
      with(TileShape<precision, 64, 64, 32>());
    } else {
      with(TileShape<precision, 32, 32, 32>());
    }
  }

  NetworkPlan plan_;
  uint32_t pixels_;
  Array<float> hidden_, hidden_gradients_, logit_gradients_, evaluated_;
  Stream beside_;
  Event forked_, joined_;
};

}  // namespace

std::unique_ptr<Network> make_mlp(const NetworkPlan& plan) {
  switch (plan.precision) {
    case Precision::tf32: return std::make_unique<Mlp<Precision::tf32>>(plan);
    case Precision::bf16: return std::make_unique<Mlp<Precision::bf16>>(plan);
    default: return std::make_unique<Mlp<Precision::fp32>>(plan);
  }
}

}  // namespace trainer::cuda
