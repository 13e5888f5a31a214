#include "model/mlp.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "network_support.h"

using namespace trainer;

namespace {

constexpr Shape kShape{4, 5, 10};
constexpr uint32_t kPixels = 20, kHidden = 37;
constexpr auto kKeep = static_cast<Real>(0.8);
constexpr uint64_t kSeed = 11;

/// The network's mean loss, computed in the simplest way and in double precision.
double plain_loss(const std::vector<double>& parameters, const std::vector<std::vector<uint8_t>>& images,
                  const Piece& batch) {
  const double* weight1 = parameters.data();
  const double* bias1 = weight1 + kPixels * kHidden;
  const double* weight2 = bias1 + kHidden;
  const double* bias2 = weight2 + kHidden * 10;
  double loss = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    std::vector<Real> mask(kHidden, 1);
    dropout(kSeed, batch.first_position + i, kKeep, mask);
    std::vector<double> logits(bias2, bias2 + 10);
    for (uint32_t h = 0; h < kHidden; ++h) {
      double value = bias1[h];
      for (uint32_t p = 0; p < kPixels; ++p) value += images[i][p] / 255.0 * weight1[p * kHidden + h];
      value = std::max(value, 0.0) * mask[h];
      for (int c = 0; c < 10; ++c) logits[c] += value * weight2[h * 10 + c];
    }
    double sum = 0;
    for (double logit : logits) sum += std::exp(logit);
    loss += std::log(sum) - logits[batch.labels[i]];
  }
  return loss / static_cast<double>(images.size());
}

}  // namespace

TEST_CASE("mlp: loss and gradient match a simple implementation, by finite differences") {
  for (uint32_t size : {3u, 8u, 21u}) {  // fewer examples than shards, as many, more
    Parallel parallel(2);
    Mlp model(kShape, kHidden, kKeep, kSeed, parallel);
    const auto images = random_images(kShape, size);
    const Piece batch = batch_of(kShape, images);
    const auto parameters = model.initial_parameters();
    std::vector<Real> gradient(parameters.size(), 99);
    const double loss = model.gradient(parameters, batch, gradient);

    std::vector<double> moved(parameters.begin(), parameters.end());
    CHECK(loss / size == doctest::Approx(plain_loss(moved, images, batch)).epsilon(1e-5));
    check_gradient(gradient, moved, 1, [&] { return plain_loss(moved, images, batch); });
  }
}

TEST_CASE("mlp: initial weights and gradient are bit for bit the same with any number of threads") {
  std::vector<Real> first_gradient;
  for (unsigned threads : {1, 2, 3, 8}) {
    Parallel parallel(threads);
    Mlp model(kShape, kHidden, kKeep, kSeed, parallel);
    const auto images = random_images(kShape, 50);
    const auto parameters = model.initial_parameters();
    std::vector<Real> gradient(parameters.size());
    model.gradient(parameters, batch_of(kShape, images), gradient);
    if (first_gradient.empty()) first_gradient = gradient;
    CHECK(gradient == first_gradient);
  }
}

TEST_CASE("mlp: memorizes a small data set, and counts its correct answers") {
  Parallel parallel(2);
  Mlp model(kShape, kHidden, 1, kSeed, parallel);
  check_learns_by_heart(model, kShape, 40, 400, 0.01, parallel);
}
