#include "model/mlp.h"

#include <algorithm>
#include <atomic>

#include "base/random.h"
#include "model/blas.h"
#include "model/layers.h"
#include "model/pairwise.h"

namespace trainer {

namespace {

enum : size_t { kHiddenWeight, kHiddenBias, kOutputWeight, kOutputBias };
constexpr auto kInitial = static_cast<Real>(0.1);

/// How many rows of the hidden weights are handled together. In other orders, each tile would go through the
/// whole matrix, which is larger than most second-level caches.
constexpr uint32_t kRows = 28;
/// Up to this number of images, all gradients of their hidden values also fit into a second-level cache.
constexpr uint32_t kFewImages = 128;

}  // namespace

Mlp::Mlp(Shape shape, uint32_t hidden, Real keep, uint64_t seed, Parallel& parallel)
    : pixels_(shape.pixels()),
      hidden_(hidden),
      classes_(shape.classes),
      keep_(keep),
      seed_(seed),
      parallel_(parallel),
      weights_(pixels_, hidden) {
  stride_ = weights_.padded_columns();
  add_tensor("hidden.weight", {pixels_, hidden});
  add_tensor("hidden.bias", {hidden});
  add_tensor("output.weight", {hidden, classes_});
  add_tensor("output.bias", {classes_});
  // Threads work on different shards and blocks of images. Each product runs in one thread and has a fixed
  // shape, so OpenBLAS must use only one thread.
  openblas_set_num_threads(1);
}

std::vector<Real> Mlp::initial_parameters() const {
  std::vector<Real> parameters(parameter_count(), kInitial);
  constexpr size_t kChunk = 4096;
  for (size_t index : {kHiddenWeight, kOutputWeight}) {
    const Tensor& tensor = tensors()[index];
    parallel_.run_blocks(tensor.size, kChunk, [&](size_t begin, size_t end) {
      truncated_normal(seed_, tensor.offset + begin, kInitial,
                       std::span(parameters).subspan(tensor.offset + begin, end - begin));
    });
  }
  return parameters;
}

void Mlp::load_weights(std::span<const Real> parameters) {
  parallel_.run_blocks(pixels_, kRows, [&](size_t first, size_t last) {
    for (uint32_t tile = 0; tile < weights_.count(); ++tile)
      weights_.copy_in(tile, static_cast<uint32_t>(first), static_cast<uint32_t>(last), parameters.data(),
                       hidden_);
  });
}

/// Computes the hidden values (after ReLU and, in training, dropout) and logits of images [first, last); row
/// 0 of `hidden` and `logits` is image `first`.
void Mlp::forward(std::span<const Real> parameters, const SparseRows& images, uint32_t first, uint32_t last,
                  Real* hidden, Real* logits, uint64_t first_position, bool training) {
  for (uint32_t tile = 0; tile < weights_.count(); ++tile) {
    multiply(images, first, last, weights_, tile, Tiles::kWidth, hidden + tile * Tiles::kWidth, stride_);
  }
  const Real* output_bias = &parameters[tensors()[kOutputBias].offset];
  for (uint32_t row = 0; row < last - first; ++row) {
    Real* values = hidden + size_t{row} * stride_;
    add_bias_and_rectify(values, &parameters[tensors()[kHiddenBias].offset], hidden_);
    if (training && keep_ < 1) dropout(seed_, first_position + first + row, keep_, {values, hidden_});
    std::copy_n(output_bias, classes_, logits + size_t{row} * classes_);
  }
  multiply_dense(last - first, classes_, hidden_, {hidden, stride_},
                 {&parameters[tensors()[kOutputWeight].offset], classes_}, 1, {logits, classes_});
}

void Mlp::shard_gradient(std::span<const Real> parameters, const Piece& piece, const SparseRows& images,
                         size_t index) {
  Shard& shard = shards_[index];
  const uint32_t first = piece.bounds[index], last = piece.bounds[index + 1], rows = last - first;
  shard.loss = 0;
  shard.small_gradients.assign(parameter_count() - tensors()[kHiddenBias].offset, Real{0});
  if (rows == 0) return;

  Real* hidden = &hidden_values_[size_t{first} * stride_];
  Real* hidden_gradient = &hidden_gradients_[size_t{first} * stride_];
  std::vector<Real> logits(size_t{rows} * classes_);
  forward(parameters, images, first, last, hidden, logits.data(), piece.first_position, true);

  const size_t base = tensors()[kHiddenBias].offset;
  Real* hidden_bias_gradient = shard.small_gradients.data();
  Real* output_weight_gradient = &shard.small_gradients[tensors()[kOutputWeight].offset - base];
  Real* output_bias_gradient = &shard.small_gradients[tensors()[kOutputBias].offset - base];
  for (uint32_t row = 0; row < rows; ++row) {
    Real* gradient = &logits[size_t{row} * classes_];
    shard.loss += softmax_gradient({gradient, classes_}, piece.labels[first + row], piece.batch_size);
    add(output_bias_gradient, gradient, classes_);
  }
  multiply_dense(hidden_, classes_, rows, {hidden, stride_, true}, {logits.data(), classes_}, 0,
                 {output_weight_gradient, classes_});
  multiply_dense(rows, hidden_, classes_, {logits.data(), classes_},
                 {&parameters[tensors()[kOutputWeight].offset], classes_, true}, 0,
                 {hidden_gradient, stride_});
  for (uint32_t row = 0; row < rows; ++row) {
    backward_activation(hidden_gradient + size_t{row} * stride_, hidden + size_t{row} * stride_, 1 / keep_,
                        hidden_bias_gradient, hidden_);
  }
}

double Mlp::gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) {
  const auto size = static_cast<uint32_t>(piece.labels.size());
  const size_t shards = piece.bounds.size() - 1;
  hidden_values_.resize(size_t{size} * stride_);
  hidden_gradients_.resize(size_t{size} * stride_);
  shards_.resize(shards);
  load_weights(parameters);
  const SparseRows images = image_rows(piece.images, pixels_);
  parallel_.run(shards, [&](size_t shard) { shard_gradient(parameters, piece, images, shard); });

  // The gradient of the hidden weights: the transposed images times the gradients of the hidden values. The
  // segments of a transposed row are the shards, so this single product adds the shards pairwise.
  const SparseRows columns = transposed(images, pixels_, piece.bounds);
  Tiles gradients(size, hidden_);
  const uint32_t tiles = gradients.count();
  parallel_.run(tiles, [&](size_t tile) {
    gradients.copy_in(static_cast<uint32_t>(tile), 0, size, hidden_gradients_.data(), stride_);
  });
  const uint32_t rows = size <= kFewImages ? kRows : pixels_;
  parallel_.run(size_t{(pixels_ + rows - 1) / rows} * tiles, [&](size_t index) {
    const auto tile = static_cast<uint32_t>(index % tiles);
    const uint32_t first = static_cast<uint32_t>(index / tiles) * rows,
                   last = std::min(first + rows, pixels_);
    multiply(columns, first, last, gradients, tile, gradients.width(tile),
             &gradient[size_t{first} * hidden_ + tile * Tiles::kWidth], hidden_);
  });

  add_pairwise(shards, [&](size_t to, size_t from) {
    add(shards_[to].small_gradients.data(), shards_[from].small_gradients.data(),
        shards_[to].small_gradients.size());
    shards_[to].loss += shards_[from].loss;
  });
  std::copy(shards_[0].small_gradients.begin(), shards_[0].small_gradients.end(),
            &gradient[tensors()[kHiddenBias].offset]);
  return shards_[0].loss;
}

void Mlp::set_evaluation(const ImageList& images, std::span<const uint8_t> labels) {
  test_images_ = image_rows(images, pixels_);
  test_labels_.assign(labels.begin(), labels.end());
}

uint32_t Mlp::count_correct(std::span<const Real> parameters) {
  load_weights(parameters);
  std::atomic<uint32_t> correct{0};
  parallel_.run_blocks(test_images_.rows(), kEvaluationBlock, [&](size_t begin, size_t end) {
    const auto first = static_cast<uint32_t>(begin), last = static_cast<uint32_t>(end);
    thread_local std::vector<Real> hidden, logits;
    hidden.resize(size_t{kEvaluationBlock} * stride_);
    logits.resize(size_t{kEvaluationBlock} * classes_);
    forward(parameters, test_images_, first, last, hidden.data(), logits.data(), 0, false);
    uint32_t right = 0;
    for (uint32_t row = 0; row < last - first; ++row) {
      right += is_right({&logits[size_t{row} * classes_], classes_}, test_labels_[first + row]);
    }
    correct += right;
  });
  return correct;
}

std::vector<Real> Mlp::logits(std::span<const Real> parameters, const uint8_t* image) {
  load_weights(parameters);
  const SparseRows rows = image_rows(ImageList{image}, pixels_);
  std::vector<Real> hidden(stride_), logits(classes_);
  forward(parameters, rows, 0, 1, hidden.data(), logits.data(), 0, false);
  return logits;
}

Flop Mlp::flop() const {
  const double hidden = 2.0 * pixels_ * hidden_, output = 2.0 * hidden_ * classes_;
  return {2 * hidden + 3 * output, hidden + output};  // the backward pass computes no gradient of the pixels
}

}  // namespace trainer
