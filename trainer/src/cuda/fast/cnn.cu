#include <algorithm>

#include "cuda/cnn_dense.cuh"
#include "cuda/fast/cnn_image.cuh"

namespace trainer::cuda {

namespace {

constexpr uint32_t kInputs = kWindows * kSecondPlanes;  ///< the number of inputs of the hidden layer
constexpr size_t kSecondAt = kFirstParameters,          ///< the index of each layer's first parameter
    kHiddenAt = kSecondAt + (kSecondRows + 1) * kSecondPlanes;
constexpr uint32_t kMostShards = 8;

/// The network of cuda/cnn.cu in bf16: one kernel for both convolutions, and two for their gradients. Only
/// pooled values and their gradients are in the GPU's memory, in bf16. Evaluations use the plain kernels.
class FastCnn : public Network {
 public:
  explicit FastCnn(const NetworkPlan& plan)
      : evaluating_(make_cnn(evaluation_plan(plan))),
        parts_(std::clamp(plan.batch_size / 32, 1u, 16u)),
        dense_(plan, kInputs, kHiddenAt, plan.most_rows),
        pooled_(size_t{plan.most_rows} * kInputs),
        pooled_gradients_(size_t{plan.most_rows} * kInputs),
        which_(size_t{plan.most_rows} * kInputs / 2),
        positive_(size_t{plan.most_rows} * kFirstPixels),
        first_parts_(size_t{kMostShards} * parts_ * kFirstParameters),
        second_parts_(size_t{kMostShards} * parts_ * (kSecondRows + 1) * kSecondPlanes) {
    check_cnn_size(plan);
  }

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    const float* second = parameters + kSecondAt;
    fast_convolve(stream, {piece.rows, piece.pixels, parameters, second, pooled_.data(), which_.data(),
                           positive_.data()});
    dense_.forward(stream, parameters, pooled_.data(), piece.rows, dense_.dropout(piece));
    dense_.gradient(stream, parameters, piece, result, pooled_.data(), pooled_gradients_.data());
    const FastCnnBackward plan{piece.pixels,
                               parameters,
                               second,
                               pooled_gradients_.data(),
                               which_.data(),
                               positive_.data(),
                               {piece.bounds, parts_},
                               first_parts_.data(),
                               second_parts_.data()};
    fast_second_gradient(stream, plan, piece.shards * parts_);
    add_parts(stream, second_parts_.data(), parts_, piece.shards, (kSecondRows + 1) * kSecondPlanes,
              result.gradient + kSecondAt);
    fast_first_gradient(stream, plan, piece.shards * parts_);
    add_parts(stream, first_parts_.data(), parts_, piece.shards, kFirstParameters, result.gradient);
    dense_.join(stream);
  }

  void count_correct(const Stream& stream, const float* parameters, const float* images,
                     const uint8_t* labels, uint32_t rows, unsigned* correct) override {
    evaluating_->count_correct(stream, parameters, images, labels, rows, correct);
  }

 private:
  /// The plan for a network that needs no memory for training.
  static NetworkPlan evaluation_plan(NetworkPlan plan) {
    plan.most_rows = plan.batch_size = 1;
    return plan;
  }

  std::unique_ptr<Network> evaluating_;
  uint32_t parts_;  ///< how many parts each shard has in the gradients of the convolutions
  CnnDense<Precision::bf16, Bf16> dense_;
  Array<Bf16> pooled_, pooled_gradients_;
  Array<uint8_t> which_;
  Array<uint32_t> positive_;
  Array<float> first_parts_, second_parts_;
};

}  // namespace

std::unique_ptr<Network> make_fast_cnn(const NetworkPlan& plan) {
  return std::make_unique<FastCnn>(plan);
}

}  // namespace trainer::cuda
