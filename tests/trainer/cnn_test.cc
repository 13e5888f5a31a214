#include "model/cnn.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "network_support.h"

using namespace trainer;

namespace {

// Of the 9 rows, the convolutions leave 5, and the pooling ignores one of these.
constexpr Shape kShape{9, 8, 3};
constexpr uint32_t kHidden = 6;
constexpr auto kKeep = static_cast<Real>(0.8);
constexpr uint64_t kSeed = 11;

using Cube = std::vector<std::vector<std::vector<double>>>;  // [row][column][plane]

Cube cube(size_t rows, size_t columns, size_t planes) {
  return Cube(rows, std::vector<std::vector<double>>(columns, std::vector<double>(planes)));
}

/// Computes a layer by its definition: 3 x 3, no padding, ReLU. Moves `parameters` past the layer's own.
Cube convolved(const Cube& from, size_t to_planes, const double*& parameters) {
  const size_t from_planes = from[0][0].size();
  const double* weight = parameters;
  const double* bias = weight + 9 * from_planes * to_planes;
  parameters = bias + to_planes;
  Cube to = cube(from.size() - 2, from[0].size() - 2, to_planes);
  for (size_t y = 0; y < to.size(); ++y) {
    for (size_t x = 0; x < to[0].size(); ++x) {
      for (size_t p = 0; p < to_planes; ++p) {
        double value = bias[p];
        for (size_t tap = 0; tap < 9; ++tap) {
          for (size_t q = 0; q < from_planes; ++q) {
            value += from[y + tap / 3][x + tap % 3][q] * weight[(tap * from_planes + q) * to_planes + p];
          }
        }
        to[y][x][p] = std::max(value, 0.0);
      }
    }
  }
  return to;
}

std::vector<double> dense(const std::vector<double>& from, size_t to_count, const double*& parameters) {
  const double* weight = parameters;
  parameters += (from.size() + 1) * to_count;
  std::vector<double> to(parameters - to_count, parameters);
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t j = 0; j < to_count; ++j) to[j] += from[i] * weight[i * to_count + j];
  }
  return to;
}

/// The network's mean loss, computed in the simplest way and in double precision.
double plain_loss(const std::vector<double>& all, const std::vector<std::vector<uint8_t>>& images,
                  const Piece& batch) {
  double loss = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    const double* parameters = all.data();
    Cube pixels = cube(kShape.rows, kShape.columns, 1);
    for (size_t p = 0; p < kShape.pixels(); ++p) {
      pixels[p / kShape.columns][p % kShape.columns][0] = images[i][p] / 255.0;
    }
    const Cube planes = convolved(convolved(pixels, 32, parameters), 64, parameters);
    std::vector<double> pooled;
    for (size_t y = 0; y + 1 < planes.size(); y += 2) {
      for (size_t x = 0; x + 1 < planes[0].size(); x += 2) {
        for (size_t p = 0; p < 64; ++p) {
          pooled.push_back(
              std::max({planes[y][x][p], planes[y][x + 1][p], planes[y + 1][x][p], planes[y + 1][x + 1][p]}));
        }
      }
    }
    std::vector<double> hidden = dense(pooled, kHidden, parameters);
    std::vector<Real> mask(kHidden, 1);
    dropout(kSeed, batch.first_position + i, kKeep, mask);
    for (size_t h = 0; h < kHidden; ++h) hidden[h] = std::max(hidden[h], 0.0) * static_cast<double>(mask[h]);
    const std::vector<double> logits = dense(hidden, kShape.classes, parameters);
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    loss += std::log(sum) - logits[batch.labels[i]];
  }
  return loss / static_cast<double>(images.size());
}

}  // namespace

TEST_CASE("cnn: loss and gradient match a simple implementation, by finite differences") {
  Parallel parallel(2);
  Cnn model(kShape, kHidden, kKeep, kSeed, parallel);
  const auto images = random_images(kShape, 9);
  const Piece batch = batch_of(kShape, images);
  const auto parameters = model.initial_parameters();
  std::vector<Real> gradient(parameters.size(), 99);
  const double loss = model.gradient(parameters, batch, gradient);
  std::vector<double> moved(parameters.begin(), parameters.end());
  CHECK(loss / 9 == doctest::Approx(plain_loss(moved, images, batch)).epsilon(1e-5));
  check_gradient(gradient, moved, 61, [&] { return plain_loss(moved, images, batch); });
}

TEST_CASE("cnn: initial weights and gradient are bit for bit the same with any number of threads") {
  std::vector<Real> first_gradient;
  for (const unsigned threads : {1, 3}) {
    Parallel parallel(threads);
    Cnn model(kShape, kHidden, kKeep, kSeed, parallel);
    const auto images = random_images(kShape, 50);
    std::vector<Real> gradient(model.parameter_count());
    model.gradient(model.initial_parameters(), batch_of(kShape, images), gradient);
    if (first_gradient.empty()) first_gradient = gradient;
    CHECK(gradient == first_gradient);
  }
}

TEST_CASE(
    "cnn: the standard deviation of the initial weights is that of He initialization, and biases are 0") {
  Parallel parallel(2);
  const Cnn model({28, 28, 10}, 128, kKeep, kSeed, parallel);
  const auto parameters = model.initial_parameters();
  for (const Tensor& tensor : model.tensors()) {
    const auto values = std::span(parameters).subspan(tensor.offset, tensor.size);
    double squares = 0;
    for (const Real value : values) squares += double{value} * value;
    const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
    if (tensor.shape.size() == 1) {
      CHECK(deviation == 0);
    } else {
      const double inputs = static_cast<double>(tensor.size) / static_cast<double>(tensor.shape.back());
      CHECK(deviation ==
            doctest::Approx(std::sqrt(2 / inputs)).epsilon(tensor.size > 1000 ? 0.03 : 0.15).scale(0));
    }
  }
}

TEST_CASE("cnn: an image of MNIST takes 24 MFLOP, 72 with the gradient") {
  Parallel parallel(1);
  const Flop flop = Cnn({28, 28, 10}, 128, 1, kSeed, parallel).flop();
  CHECK(flop.evaluation == 2.0 * (676 * 9 * 32 + 576 * 288 * 64 + 9216 * 128 + 1280));
  CHECK(flop.training / 1e6 == doctest::Approx(71.5).epsilon(0.01));
}

TEST_CASE("cnn: memorizes a small data set, and counts its correct answers") {
  Parallel parallel(2);
  Cnn model(kShape, 32, 1, kSeed, parallel);
  check_learns_by_heart(model, kShape, 80, 150, 0.003, parallel);
}
