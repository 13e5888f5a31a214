#include <algorithm>

#include "cuda/cnn_dense.cuh"
#include "cuda/convolution.cuh"

namespace trainer::cuda {

namespace {

constexpr uint32_t kFirst = 32, kSecond = 64;  ///< the numbers of channels, as in model/cnn.h
constexpr uint32_t kEvaluated = 1024;          ///< how many images are evaluated at a time

/// The index of each layer's first parameter. A layer's biases follow its weights.
struct Offsets {
  size_t second, hidden;
};

/// The activations of some images, and their gradients.
struct Values {
  Array<float> first, pooled;
  Array<uint8_t> which;
  Array<float> first_gradients, pooled_gradients, first_parts, second_parts;
};

/// The network of model/cnn.h, on a GPU. The first convolution and the last layer, which have 2 % of the
/// work, use fp32 in every precision.
template <Precision precision>
class Cnn : public Network {
 public:
  explicit Cnn(const NetworkPlan& plan)
      : plan_(plan),
        image_(plan.image_rows, plan.image_columns),
        first_(plan.image_rows - 2, plan.image_columns - 2),
        pooled_((plan.image_rows - 4) / 2, (plan.image_columns - 4) / 2),
        inputs_(pooled_.rows * pooled_.columns * kSecond),
        parts_(std::clamp(plan.batch_size / 32, 1u, 16u)),
        at_{size_t{kTaps + 1} * kFirst, size_t{kTaps + 1} * kFirst + size_t{kTaps * kFirst + 1} * kSecond},
        dense_(plan, inputs_, at_.hidden, std::max(plan.most_rows, kEvaluated)) {
    const size_t rows = plan.most_rows, pixels = size_t{first_.rows} * first_.columns;
    training_ = forward_values(plan.most_rows);
    evaluation_ = forward_values(kEvaluated);
    training_.first_gradients = Array<float>(rows * pixels * kFirst);
    training_.pooled_gradients = Array<float>(rows * inputs_);
    training_.first_parts = Array<float>(size_t{kMostShards} * parts_ * (kTaps + 1) * kFirst);
    training_.second_parts = Array<float>(size_t{kMostShards} * parts_ * (kTaps * kFirst + 1) * kSecond);
  }

  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result) override {
    const Values& v = training_;
    forward(stream, parameters, piece.pixels, piece.rows, v, dense_.dropout(piece));
    dense_.gradient(stream, parameters, piece, result, v.pooled.data(), v.pooled_gradients.data());
    convolution_gradients(stream, parameters, piece, result.gradient);
    dense_.join(stream);
  }

  void count_correct(const Stream& stream, const float* parameters, const DeviceImages& images,
                     unsigned* correct) override {
    for (uint32_t first = 0; first < images.rows; first += kEvaluated) {
      const uint32_t count = std::min(kEvaluated, images.rows - first);
      forward(stream, parameters, images.pixels + size_t{first} * image_.rows * image_.columns, count,
              evaluation_, {});
      dense_.count_correct(stream, parameters, images.labels + first, count, correct);
    }
  }

 private:
  static constexpr uint32_t kMostShards = 8;

  Values forward_values(size_t rows) const {
    Values v;
    v.first = Array<float>(rows * first_.rows * first_.columns * kFirst);
    v.pooled = Array<float>(rows * inputs_);
    v.which = Array<uint8_t>(rows * inputs_);
    return v;
  }

  void forward(const Stream& stream, const float* parameters, const float* x, uint32_t rows, const Values& v,
               const Dropout& dropout) const {
    multiply(stream, FirstForward<TileShape<Precision::fp32, 64, 32, 16>>{
                         rows * first_.rows * first_.columns, kFirst, image_, first_, x, parameters,
                         parameters + size_t{kTaps} * kFirst, v.first.data()});
    const float* second = parameters + at_.second;
    multiply(stream, SecondForward<TileShape<precision, 64, 64, 32>, kFirst>{
                         rows * pooled_.rows * pooled_.columns * 4,
                         kSecond,
                         first_,
                         {pooled_},
                         v.first.data(),
                         second,
                         second + size_t{kTaps} * kFirst * kSecond,
                         v.pooled.data(),
                         v.which.data()});
    dense_.forward(stream, parameters, v.pooled.data(), rows, dropout);
  }

  void convolution_gradients(const Stream& stream, const float* parameters, const DevicePiece& piece,
                             float* gradient) {
    const Values& v = training_;
    const Parts parts{piece.bounds, parts_};
    const uint32_t depth = piece.shards * parts_;
    constexpr uint32_t kSecondRows = kTaps * kFirst + 1;
    multiply(stream,
             SecondGradient<TileShape<precision, 64, 64, 32>, kFirst>{kSecondRows,
                                                                      kSecond,
                                                                      first_,
                                                                      {pooled_},
                                                                      v.first.data(),
                                                                      v.pooled_gradients.data(),
                                                                      v.which.data(),
                                                                      parts,
                                                                      v.second_parts.data()},
             depth);
    add_parts(stream, v.second_parts.data(), parts_, piece.shards, kSecondRows * kSecond,
              gradient + at_.second);
    multiply(stream, SecondBackward<TileShape<precision, 64, 32, 32>, kSecond>{
                         piece.rows * first_.rows * first_.columns, kFirst, first_, pooled_,
                         v.pooled_gradients.data(), parameters + at_.second, v.first.data(), v.which.data(),
                         v.first_gradients.data()});
    multiply(stream,
             FirstGradient<TileShape<Precision::fp32, 32, 32, 32>>{kTaps + 1, kFirst, image_, first_,
                                                                   piece.pixels, v.first_gradients.data(),
                                                                   parts, v.first_parts.data()},
             depth);
    add_parts(stream, v.first_parts.data(), parts_, piece.shards, (kTaps + 1) * kFirst, gradient);
  }

  NetworkPlan plan_;
  Grid image_, first_, pooled_;
  uint32_t inputs_;  ///< the number of inputs of the hidden layer
  uint32_t parts_;   ///< how many parts each shard has in the gradients of the convolutions
  Offsets at_;
  CnnDense<precision, float> dense_;
  Values training_, evaluation_;
};

}  // namespace

std::unique_ptr<Network> make_cnn(const NetworkPlan& plan) {
  check_cnn_size(plan);
  switch (plan.precision) {
    case Precision::tf32: return std::make_unique<Cnn<Precision::tf32>>(plan);
    case Precision::bf16: return std::make_unique<Cnn<Precision::bf16>>(plan);
    default: return std::make_unique<Cnn<Precision::fp32>>(plan);
  }
}

}  // namespace trainer::cuda
