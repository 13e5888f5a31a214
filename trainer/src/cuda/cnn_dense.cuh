#pragma once

#include <algorithm>
#include <type_traits>

#include "cuda/fast/cnn_kernels.h"
#include "cuda/head.cuh"
#include "cuda/network.h"
#include "cuda/sums.h"

namespace trainer::cuda {

/// The hidden and the last layer of a cnn, whose inputs are the pooled values of its convolutions. `Value` is
/// the type in which these and their gradients are stored.
template <Precision precision, typename Value>
class CnnDense {
 public:
  /// `at` is the index of the hidden layer's first parameter; `most_rows` limits the rows of forward().
  CnnDense(const NetworkPlan& plan, uint32_t inputs, size_t at, uint32_t most_rows)
      : plan_(plan),
        inputs_(inputs),
        hidden_at_(at),
        output_at_(at + (size_t{inputs} + 1) * plan.hidden),
        parts_(size_t{kCnnDenseParts} * most_rows * plan.hidden),
        hidden_(size_t{most_rows} * plan.hidden),
        hidden_gradients_(size_t{plan.most_rows} * plan.hidden),
        logit_gradients_(size_t{plan.most_rows} * plan.classes) {}

  /// The dropout of a piece's rows.
  Dropout dropout(const DevicePiece& piece) const {
    return {plan_.seed, dropout_threshold(plan_.keep), 1 / plan_.keep, piece.first_position, piece.first_row};
  }

  void forward(const Stream& stream, const float* parameters, const Value* pooled, uint32_t rows,
               const Dropout& dropout) const {
    const float* weights = parameters + hidden_at_;
    if constexpr (kFast) {
      fast_dense_forward(stream, {rows, inputs_, plan_.hidden, pooled, weights, parts_.data()},
                         kCnnDenseParts);
    } else {
      multiply(stream,
               DenseParts<TileShape<precision, 64, 64, 32>>{rows, plan_.hidden, inputs_, kCnnDenseParts,
                                                            pooled, weights, parts_.data()},
               kCnnDenseParts);
    }
    finish_dense(stream, parts_.data(), kCnnDenseParts, rows, plan_.hidden,
                 weights + size_t{inputs_} * plan_.hidden, dropout, hidden_.data());
  }

  /// Call this after forward(). Computes the gradients of the pooled values and of both layers' parameters.
  /// Some of these are only complete after join().
  void gradient(const Stream& stream, const float* parameters, const DevicePiece& piece,
                const DeviceGradient& result, const Value* pooled, Value* pooled_gradients) {
    train_head(stream, head(parameters), hidden_.data(), piece.labels, piece.rows, piece.batch_size,
               1 / plan_.keep,
               {result.losses, result.halted, logit_gradients_.data(), hidden_gradients_.data()});
    forked_.record(stream);
    forked_.hold_up(beside_);
    multiply(beside_, DenseGradient<TileShape<Precision::fp32, 32, 32, 16>>{
                          plan_.hidden + 1, plan_.classes, hidden_.data(), logit_gradients_.data(),
                          piece.bounds, piece.shards, result.gradient + output_at_});
    const float* weights = parameters + hidden_at_;
    if constexpr (kFast) {
      FastDenseGradient plan{
          inputs_, plan_.hidden, pooled, hidden_gradients_.data(), {}, result.gradient + hidden_at_};
      plan.shards.count = piece.shards;
      std::copy_n(piece.host_bounds, piece.shards + 1, plan.shards.bounds);
      fast_dense_gradient(beside_, plan);
      joined_.record(beside_);
      fast_dense_backward(
          stream, {piece.rows, inputs_, plan_.hidden, hidden_gradients_.data(), weights, pooled_gradients});
    } else {
      multiply(beside_, DenseGradient<TileShape<precision, 32, 32, 16>>{
                            inputs_ + 1, plan_.hidden, pooled, hidden_gradients_.data(), piece.bounds,
                            piece.shards, result.gradient + hidden_at_});
      joined_.record(beside_);
      multiply(stream,
               DenseBackward<TileShape<precision, 64, 64, 32>>{
                   piece.rows, inputs_, plan_.hidden, hidden_gradients_.data(), weights, pooled_gradients});
    }
  }
  void join(const Stream& stream) { joined_.hold_up(stream); }

  /// Call this after forward(). See Network::count_correct.
  void count_correct(const Stream& stream, const float* parameters, const uint8_t* labels, uint32_t rows,
                     unsigned* correct) const {
    count_head(stream, head(parameters), hidden_.data(), labels, rows, correct);
  }

 private:
  /// Whether these are the fast kernels, which store values in bf16.
  static constexpr bool kFast = !std::is_same_v<Value, float>;

  Head head(const float* parameters) const {
    const float* weights = parameters + output_at_;
    return {plan_.hidden, plan_.classes, weights, weights + size_t{plan_.hidden} * plan_.classes};
  }

  NetworkPlan plan_;
  uint32_t inputs_;
  size_t hidden_at_, output_at_;
  Array<float> parts_, hidden_, hidden_gradients_, logit_gradients_;
  Stream beside_;
  Event forked_, joined_;
};

}  // namespace trainer::cuda
