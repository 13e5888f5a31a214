#include "model/mlp.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/vectorize.h"
#include "model/pairwise.h"

namespace trainer {

namespace {

enum : size_t { kHiddenWeight, kHiddenBias, kOutputWeight, kOutputBias };
constexpr uint32_t kClasses = Mlp::kClasses;

KML_VECTORIZE
void add_bias_and_rectify(float* values, const float* bias, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) values[i] = std::max(values[i] + bias[i], 0.0f);
}

/// Passes the gradient through dropout and ReLU: `hidden` is 0 where either blocked the unit.
KML_VECTORIZE
void backward_activation(float* gradient, const float* hidden, float scale, float* bias_gradient,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    gradient[i] = hidden[i] > 0 ? gradient[i] * scale : 0.0f;
    bias_gradient[i] += gradient[i];
  }
}

KML_VECTORIZE
void add(float* sum, const float* values, size_t count) {
  for (size_t i = 0; i < count; ++i) sum[i] += values[i];
}

/// Replaces logits by the gradient of the summed cross-entropy, divided by `batch`; returns the loss.
double softmax_gradient(float* logits, uint8_t label, uint32_t batch) {
  const float largest = *std::max_element(logits, logits + kClasses);
  double exponentials[kClasses], sum = 0;
  for (uint32_t c = 0; c < kClasses; ++c) sum += exponentials[c] = std::exp(double{logits[c]} - largest);
  const double loss = std::log(sum) - (double{logits[label]} - largest);
  for (uint32_t c = 0; c < kClasses; ++c) {
    logits[c] = static_cast<float>((exponentials[c] / sum - (c == label ? 1 : 0)) / batch);
  }
  return loss;
}

}  // namespace

Mlp::Mlp(uint32_t pixels, uint32_t hidden, float keep, uint64_t seed, Parallel& parallel)
    : pixels_(pixels),
      hidden_(hidden),
      keep_(keep),
      seed_(seed),
      parallel_(parallel),
      weights_(pixels, hidden) {
  stride_ = weights_.padded_columns();
  size_t offset = 0;
  auto add_tensor = [&](const char* name, std::vector<size_t> shape) {
    size_t size = 1;
    for (size_t extent : shape) size *= extent;
    tensors_.push_back({name, std::move(shape), offset, size});
    offset += size;
  };
  add_tensor("hidden.weight", {pixels, hidden});
  add_tensor("hidden.bias", {hidden});
  add_tensor("output.weight", {hidden, kClasses});
  add_tensor("output.bias", {kClasses});
  // Parallelism is between shards and blocks of images: whole products run in one thread each, with a fixed
  // shape.
  openblas_set_num_threads(1);
}

std::vector<float> Mlp::initial_parameters() const {
  std::vector<float> parameters(parameter_count(), 0.1f);
  constexpr size_t kChunk = 4096;
  for (size_t index : {kHiddenWeight, kOutputWeight}) {
    const Tensor& tensor = tensors_[index];
    parallel_.run((tensor.size + kChunk - 1) / kChunk, [&](size_t chunk) {
      const size_t begin = chunk * kChunk, count = std::min(kChunk, tensor.size - begin);
      truncated_normal(seed_, tensor.offset + begin, 0.1f,
                       std::span(parameters).subspan(tensor.offset + begin, count));
    });
  }
  return parameters;
}

void Mlp::load_weights(std::span<const float> parameters) {
  parallel_.run(weights_.count(), [&](size_t tile) {
    weights_.copy_in(static_cast<uint32_t>(tile), 0, pixels_, parameters.data(), hidden_);
  });
}

/// Computes the hidden values (after ReLU and, in training, dropout) and logits of images [first, last); row
/// 0 of `hidden` and `logits` is image `first`.
void Mlp::forward(std::span<const float> parameters, const SparseRows& images, uint32_t first, uint32_t last,
                  float* hidden, float* logits, uint64_t first_position, bool training) {
  for (uint32_t tile = 0; tile < weights_.count(); ++tile) {
    multiply(images, first, last, weights_, tile, Tiles::kWidth, hidden + tile * Tiles::kWidth, stride_);
  }
  const float* output_bias = &parameters[tensors_[kOutputBias].offset];
  for (uint32_t row = 0; row < last - first; ++row) {
    float* values = hidden + size_t{row} * stride_;
    add_bias_and_rectify(values, &parameters[tensors_[kHiddenBias].offset], hidden_);
    if (training && keep_ < 1) dropout(seed_, first_position + first + row, keep_, {values, hidden_});
    std::copy_n(output_bias, kClasses, logits + size_t{row} * kClasses);
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(last - first), kClasses,
              static_cast<int>(hidden_), 1.0f, hidden, static_cast<int>(stride_),
              &parameters[tensors_[kOutputWeight].offset], kClasses, 1.0f, logits, kClasses);
}

void Mlp::shard_gradient(std::span<const float> parameters, const Piece& piece, size_t index) {
  Shard& shard = shards_[index];
  const uint32_t first = piece.bounds[index], last = piece.bounds[index + 1];
  const auto rows = static_cast<int>(last - first), stride = static_cast<int>(stride_);
  shard.loss = 0;
  shard.small_gradients.assign(parameter_count() - tensors_[kHiddenBias].offset, 0.0f);
  if (rows == 0) return;

  float* hidden = &hidden_values_[size_t{first} * stride_];
  float* hidden_gradient = &hidden_gradients_[size_t{first} * stride_];
  std::vector<float> logits(size_t{last - first} * kClasses);
  forward(parameters, piece.images, first, last, hidden, logits.data(), piece.first_position, true);

  const size_t base = tensors_[kHiddenBias].offset;
  float* hidden_bias_gradient = shard.small_gradients.data();
  float* output_weight_gradient = &shard.small_gradients[tensors_[kOutputWeight].offset - base];
  float* output_bias_gradient = &shard.small_gradients[tensors_[kOutputBias].offset - base];
  for (uint32_t row = 0; row < last - first; ++row) {
    float* gradient = &logits[size_t{row} * kClasses];
    shard.loss += softmax_gradient(gradient, piece.labels[first + row], piece.batch_size);
    add(output_bias_gradient, gradient, kClasses);
  }
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(hidden_), kClasses, rows, 1.0f,
              hidden, stride, logits.data(), kClasses, 0.0f, output_weight_gradient, kClasses);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, static_cast<int>(hidden_), kClasses, 1.0f,
              logits.data(), kClasses, &parameters[tensors_[kOutputWeight].offset], kClasses, 0.0f,
              hidden_gradient, stride);
  for (uint32_t row = 0; row < last - first; ++row) {
    backward_activation(hidden_gradient + size_t{row} * stride_, hidden + size_t{row} * stride_, 1 / keep_,
                        hidden_bias_gradient, hidden_);
  }
}

double Mlp::gradient(std::span<const float> parameters, const Piece& piece, std::span<float> gradient) {
  const auto size = static_cast<uint32_t>(piece.labels.size());
  const size_t shards = piece.bounds.size() - 1;
  hidden_values_.resize(size_t{size} * stride_);
  hidden_gradients_.resize(size_t{size} * stride_);
  shards_.resize(shards);
  load_weights(parameters);
  parallel_.run(shards, [&](size_t shard) { shard_gradient(parameters, piece, shard); });

  // The gradient of the hidden weights: images, transposed, times the gradients of the hidden values. The
  // segments of a transposed row are the shards, so that this one product adds them in the promised order.
  const SparseRows images = transposed(piece.images, pixels_, piece.bounds);
  Tiles gradients(size, hidden_);
  parallel_.run(gradients.count(), [&](size_t index) {
    const auto tile = static_cast<uint32_t>(index);
    gradients.copy_in(tile, 0, size, hidden_gradients_.data(), stride_);
    multiply(images, 0, pixels_, gradients, tile, gradients.width(tile), &gradient[tile * Tiles::kWidth],
             hidden_);
  });

  add_pairwise(shards, [&](size_t to, size_t from) {
    add(shards_[to].small_gradients.data(), shards_[from].small_gradients.data(),
        shards_[to].small_gradients.size());
    shards_[to].loss += shards_[from].loss;
  });
  std::copy(shards_[0].small_gradients.begin(), shards_[0].small_gradients.end(),
            &gradient[tensors_[kHiddenBias].offset]);
  return shards_[0].loss;
}

uint32_t Mlp::count_correct(std::span<const float> parameters, const SparseRows& images,
                            std::span<const uint8_t> labels) {
  load_weights(parameters);
  std::atomic<uint32_t> correct{0};
  const uint32_t count = images.rows();
  parallel_.run((count + kEvaluationBlock - 1) / kEvaluationBlock, [&](size_t block) {
    const uint32_t first = static_cast<uint32_t>(block) * kEvaluationBlock;
    const uint32_t last = std::min(first + kEvaluationBlock, count);
    thread_local std::vector<float> hidden, logits;
    hidden.resize(size_t{kEvaluationBlock} * stride_);
    logits.resize(kEvaluationBlock * kClasses);
    forward(parameters, images, first, last, hidden.data(), logits.data(), 0, false);
    uint32_t right = 0;
    for (uint32_t row = 0; row < last - first; ++row) {
      const float* scores = &logits[size_t{row} * kClasses];
      right += std::max_element(scores, scores + kClasses) - scores == labels[first + row];
    }
    correct += right;
  });
  return correct;
}

}  // namespace trainer
