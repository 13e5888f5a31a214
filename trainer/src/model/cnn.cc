#include "model/cnn.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/random.h"
#include "model/blas.h"
#include "model/layers.h"
#include "model/pairwise.h"

namespace trainer {

namespace {

enum : size_t {
  kFirstWeight,
  kFirstBias,
  kSecondWeight,
  kSecondBias,
  kHiddenWeight,
  kHiddenBias,
  kOutputWeight,
  kOutputBias
};

/// The deviation of a normal distribution that is truncated at 2 sigma, divided by sigma.
constexpr double kCutDeviation = 0.87962566103423978;

/// Converts bytes 0 … 255 to 0 … 1.
void load_image(const uint8_t* image, Real* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<Real>(image[i]) / 255;
}

/// A buffer of each thread, which successive products use again.
template <int kWhich>
Real* scratch(size_t size) {
  thread_local std::vector<Real> array;
  if (array.size() < size) array.resize(size);
  return array.data();
}
enum : int { kImage, kFirstPatches, kSecondPatches, kSecondValues, kFirstGradients };

}  // namespace

Cnn::Cnn(Shape shape, uint32_t hidden, Real keep, uint64_t seed, Parallel& parallel)
    : image_{shape.rows, shape.columns, 1},
      first_(image_.convolved(kFirstPlanes)),
      second_(first_.convolved(kSecondPlanes)),
      pooled_(second_.pooled()),
      hidden_(hidden),
      classes_(shape.classes),
      keep_(keep),
      seed_(seed),
      parallel_(parallel) {
  add_tensor("conv1.weight", {3, 3, 1, kFirstPlanes});
  add_tensor("conv1.bias", {kFirstPlanes});
  add_tensor("conv2.weight", {3, 3, kFirstPlanes, kSecondPlanes});
  add_tensor("conv2.bias", {kSecondPlanes});
  add_tensor("hidden.weight", {pooled_.size(), hidden});
  add_tensor("hidden.bias", {hidden});
  add_tensor("output.weight", {hidden, classes_});
  add_tensor("output.bias", {classes_});
  // Threads work on different shards and blocks of images, as in the MLP, so OpenBLAS must use only one
  // thread.
  openblas_set_num_threads(1);
}

std::vector<Real> Cnn::initial_parameters() const {
  std::vector<Real> parameters(parameter_count());
  constexpr size_t kChunk = 4096;
  for (size_t index : {kFirstWeight, kSecondWeight, kHiddenWeight, kOutputWeight}) {
    const Tensor& tensor = tensors()[index];
    const size_t inputs = tensor.size / tensor.shape.back();
    const auto sigma = static_cast<Real>(std::sqrt(2.0 / static_cast<double>(inputs)) / kCutDeviation);
    parallel_.run_blocks(tensor.size, kChunk, [&](size_t begin, size_t end) {
      truncated_normal(seed_, tensor.offset + begin, sigma,
                       std::span(parameters).subspan(tensor.offset + begin, end - begin));
    });
  }
  return parameters;
}

void Cnn::Values::resize(const Cnn& model, size_t rows) {
  first.resize(rows * model.first_.size());
  pooled.resize(rows * model.pooled_.size());
  which.resize(rows * model.pooled_.size());
  hidden.resize(rows * model.hidden_);
  logits.resize(rows * model.classes_);
}

/// Computes the layers up to the pooled values, which are stored in row `row` of `values`.
void Cnn::convolve(std::span<const Real> parameters, const uint8_t* image, Values& values, size_t row) const {
  Real* pixels = scratch<kImage>(image_.size());
  Real* patches = scratch<kFirstPatches>(first_.pixels() * kTaps);
  Real* first = &values.first[row * first_.size()];
  load_image(image, pixels, image_.size());
  unfold(pixels, image_, patches);
  multiply_dense(first_.pixels(), kFirstPlanes, kTaps, {patches, kTaps},
                 {part(parameters, kFirstWeight), kFirstPlanes}, 0, {first, kFirstPlanes});
  for (size_t i = 0; i < first_.pixels(); ++i) {
    add_bias_and_rectify(first + i * kFirstPlanes, part(parameters, kFirstBias), kFirstPlanes);
  }

  constexpr size_t kWidth = size_t{kTaps} * kFirstPlanes;
  Real* second_patches = scratch<kSecondPatches>(second_.pixels() * kWidth);
  Real* second = scratch<kSecondValues>(second_.size());
  unfold(first, first_, second_patches);
  multiply_dense(second_.pixels(), kSecondPlanes, kWidth, {second_patches, kWidth},
                 {part(parameters, kSecondWeight), kSecondPlanes}, 0, {second, kSecondPlanes});
  Real* pooled = &values.pooled[row * pooled_.size()];
  max_pool(second, second_, pooled, &values.which[row * pooled_.size()]);
  // The bias is the same for all elements of a window, and ReLU keeps their order, so both can be applied
  // after the pooling.
  for (size_t i = 0; i < pooled_.pixels(); ++i) {
    add_bias_and_rectify(pooled + i * kSecondPlanes, part(parameters, kSecondBias), kSecondPlanes);
  }
}

/// Computes all values of the images. Applies dropout if `position` is given, the position of the first image
/// in the run's stream of examples.
void Cnn::forward(std::span<const Real> parameters, std::span<const uint8_t* const> images,
                  std::optional<uint64_t> position, Values& values) const {
  const size_t rows = images.size();
  values.resize(*this, rows);
  for (size_t row = 0; row < rows; ++row) convolve(parameters, images[row], values, row);
  multiply_dense(rows, hidden_, pooled_.size(), {values.pooled.data(), pooled_.size()},
                 {part(parameters, kHiddenWeight), hidden_}, 0, {values.hidden.data(), hidden_});
  for (size_t row = 0; row < rows; ++row) {
    Real* hidden = &values.hidden[row * hidden_];
    add_bias_and_rectify(hidden, part(parameters, kHiddenBias), hidden_);
    if (position && keep_ < 1) dropout(seed_, *position + row, keep_, {hidden, hidden_});
    std::copy_n(part(parameters, kOutputBias), classes_, &values.logits[row * classes_]);
  }
  multiply_dense(rows, classes_, hidden_, {values.hidden.data(), hidden_},
                 {part(parameters, kOutputWeight), classes_}, 1, {values.logits.data(), classes_});
}

void Cnn::shard_gradient(std::span<const Real> parameters, const Piece& piece, size_t index) {
  Shard& shard = shards_[index];
  const size_t first = piece.bounds[index], rows = piece.bounds[index + 1] - first;
  shard.loss = 0;
  shard.gradient.assign(parameter_count(), Real{0});
  if (rows == 0) return;
  Values& values = shard.values;
  forward(parameters, std::span(piece.images).subspan(first, rows), piece.first_position + first, values);

  const std::span gradient(shard.gradient);
  for (size_t row = 0; row < rows; ++row) {
    const std::span logits = std::span(values.logits).subspan(row * classes_, classes_);
    shard.loss += softmax_gradient(logits, piece.labels[first + row], piece.batch_size);
    add(part(gradient, kOutputBias), logits.data(), classes_);
  }
  const Matrix<const Real> logits{values.logits.data(), classes_};
  multiply_dense(hidden_, classes_, rows, {values.hidden.data(), hidden_, true}, logits, 0,
                 {part(gradient, kOutputWeight), classes_});
  std::vector<Real> hidden_gradient(rows * hidden_), pooled_gradient(rows * pooled_.size());
  multiply_dense(rows, hidden_, classes_, logits, {part(parameters, kOutputWeight), classes_, true}, 0,
                 {hidden_gradient.data(), hidden_});
  for (size_t row = 0; row < rows; ++row) {
    backward_activation(&hidden_gradient[row * hidden_], &values.hidden[row * hidden_], 1 / keep_,
                        part(gradient, kHiddenBias), hidden_);
  }
  const Matrix<const Real> of_hidden{hidden_gradient.data(), hidden_};
  multiply_dense(pooled_.size(), hidden_, rows, {values.pooled.data(), pooled_.size(), true}, of_hidden, 0,
                 {part(gradient, kHiddenWeight), hidden_});
  multiply_dense(rows, pooled_.size(), hidden_, of_hidden, {part(parameters, kHiddenWeight), hidden_, true},
                 0, {pooled_gradient.data(), pooled_.size()});
  for (size_t row = 0; row < rows; ++row) {
    backward_convolutions(parameters, piece.images[first + row], shard, row,
                          &pooled_gradient[row * pooled_.size()]);
  }
}

/// Adds an image's part of the gradients of both convolutions. Computes the patches again, because storing
/// them would take nine times as much memory as their source. Overwrites `pooled_gradient`.
void Cnn::backward_convolutions(std::span<const Real> parameters, const uint8_t* image, Shard& shard,
                                size_t row, Real* pooled_gradient) const {
  const std::span gradient(shard.gradient);
  const Real* pooled = &shard.values.pooled[row * pooled_.size()];
  for (size_t i = 0; i < pooled_.pixels(); ++i) {
    backward_activation(pooled_gradient + i * kSecondPlanes, pooled + i * kSecondPlanes, 1,
                        part(gradient, kSecondBias), kSecondPlanes);
  }
  constexpr size_t kWidth = size_t{kTaps} * kFirstPlanes;
  const Real* first = &shard.values.first[row * first_.size()];
  Real* second_gradient = scratch<kSecondValues>(second_.size());
  Real* second_patches = scratch<kSecondPatches>(second_.pixels() * kWidth);
  max_unpool(pooled_gradient, &shard.values.which[row * pooled_.size()], second_, second_gradient);
  unfold(first, first_, second_patches);
  multiply_dense(kWidth, kSecondPlanes, second_.pixels(), {second_patches, kWidth, true},
                 {second_gradient, kSecondPlanes}, 1, {part(gradient, kSecondWeight), kSecondPlanes});

  Real* patch_gradients = second_patches;  // the patches are no longer needed
  Real* first_gradient = scratch<kFirstGradients>(first_.size());
  multiply_dense(second_.pixels(), kWidth, kSecondPlanes, {second_gradient, kSecondPlanes},
                 {part(parameters, kSecondWeight), kSecondPlanes, true}, 0, {patch_gradients, kWidth});
  fold(patch_gradients, first_, first_gradient);
  for (size_t i = 0; i < first_.pixels(); ++i) {
    backward_activation(first_gradient + i * kFirstPlanes, first + i * kFirstPlanes, 1,
                        part(gradient, kFirstBias), kFirstPlanes);
  }
  Real* pixels = scratch<kImage>(image_.size());
  Real* patches = scratch<kFirstPatches>(first_.pixels() * kTaps);
  load_image(image, pixels, image_.size());
  unfold(pixels, image_, patches);
  multiply_dense(kTaps, kFirstPlanes, first_.pixels(), {patches, kTaps, true}, {first_gradient, kFirstPlanes},
                 1, {part(gradient, kFirstWeight), kFirstPlanes});
}

double Cnn::gradient(std::span<const Real> parameters, const Piece& piece, std::span<Real> gradient) {
  const size_t shards = piece.bounds.size() - 1;
  shards_.resize(std::max(shards, shards_.size()));
  parallel_.run(shards, [&](size_t shard) { shard_gradient(parameters, piece, shard); });

  constexpr size_t kSlice = 16384;
  parallel_.run_blocks(gradient.size(), kSlice, [&](size_t begin, size_t end) {
    add_pairwise(shards, [&](size_t to, size_t from) {
      add(&shards_[to].gradient[begin], &shards_[from].gradient[begin], end - begin);
    });
    std::copy_n(&shards_[0].gradient[begin], end - begin, &gradient[begin]);
  });
  add_pairwise(shards, [&](size_t to, size_t from) { shards_[to].loss += shards_[from].loss; });
  return shards_[0].loss;
}

void Cnn::set_evaluation(const ImageList& images, std::span<const uint8_t> labels) {
  test_images_ = images;
  test_labels_.assign(labels.begin(), labels.end());
}

uint32_t Cnn::count_correct(std::span<const Real> parameters) {
  std::atomic<uint32_t> correct{0};
  parallel_.run_blocks(test_images_.size(), kEvaluationBlock, [&](size_t first, size_t last) {
    const size_t rows = last - first;
    thread_local Values values;
    forward(parameters, std::span(test_images_).subspan(first, rows), std::nullopt, values);
    uint32_t right = 0;
    for (size_t row = 0; row < rows; ++row) {
      right +=
          is_right(std::span(values.logits).subspan(row * classes_, classes_), test_labels_[first + row]);
    }
    correct += right;
  });
  return correct;
}

std::vector<Real> Cnn::logits(std::span<const Real> parameters, const uint8_t* image) {
  Values values;
  forward(parameters, std::span(&image, 1), std::nullopt, values);
  values.logits.resize(classes_);
  return std::move(values.logits);
}

Flop Cnn::flop() const {
  const double first = 2.0 * static_cast<double>(first_.pixels()) * kTaps * kFirstPlanes;
  const double second = 2.0 * static_cast<double>(second_.pixels()) * kTaps * kFirstPlanes * kSecondPlanes;
  const double hidden = 2.0 * static_cast<double>(pooled_.size()) * hidden_;
  const double output = 2.0 * hidden_ * classes_;
  // The backward pass computes no gradient of the pixels.
  return {2 * first + 3 * (second + hidden + output), first + second + hidden + output};
}

}  // namespace trainer
