#include <algorithm>

#include "cuda/cnn_dense.cuh"
#include "cuda/fast/cnn_image.cuh"

namespace trainer::cuda {

namespace {

constexpr uint32_t kInputs = kWindows * kSecondPlanes;  ///< the number of inputs of the hidden layer
constexpr size_t kSecondAt = kFirstParameters,          ///< the index of each layer's first parameter
    kHiddenAt = kSecondAt + (kSecondRows + 1) * kSecondPlanes;
constexpr uint32_t kMostShards = 8;

/// The network of cuda/cnn.cu in bf16: one kernel for both convolutions, and two for their gradients. Pooled
/// values and their gradients are stored in bf16; the results of the first convolution are not stored.
class FastCnn : public Network {
 public:
  explicit FastCnn(const NetworkPlan& plan)
      : parts_(std::clamp(plan.batch_size / 32, 1u, 16u)),
        dense_(plan, kInputs, kHiddenAt, std::max(plan.most_rows, kEvaluated)),
        pooled_(std::max(plan.most_rows, kEvaluated) * size_t{kInputs}),
        pooled_gradients_(size_t{plan.most_rows} * kInputs),
        which_(std::max(plan.most_rows, kEvaluated) * size_t{kInputs} / 2),
        positive_(std::max(plan.most_rows, kEvaluated) * size_t{kFirstPixels}),
        first_parts_(size_t{kMostShards} * parts_ * kFirstParameters),
        second_parts_(size_t{kMostShards} * parts_ * (kSecondRows + 1) * kSecondPlanes) {
    check_cnn_size(plan);
  }

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    const float* second = parameters + kSecondAt;
    forward(stream, parameters, piece.pixels, piece.rows, dense_.dropout(piece));
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

  void count_correct(const Stream& stream, const float* parameters, const DeviceImages& images,
                     unsigned* correct) override {
    for (uint32_t first = 0; first < images.rows; first += kEvaluated) {
      const uint32_t count = std::min(kEvaluated, images.rows - first);
      forward(stream, parameters, images.pixels + size_t{first} * kPixels, count, {});
      dense_.count_correct(stream, parameters, images.labels + first, count, correct);
    }
  }

 private:
  static constexpr uint32_t kEvaluated = 1024;  ///< how many images are evaluated at a time

  void forward(const Stream& stream, const float* parameters, const float* pixels, uint32_t rows,
               const Dropout& dropout) const {
    fast_convolve(stream, {rows, pixels, parameters, parameters + kSecondAt, pooled_.data(), which_.data(),
                           positive_.data()});
    dense_.forward(stream, parameters, pooled_.data(), rows, dropout);
  }

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
