#include "model/mlp.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "comm/shards.h"
#include "model/adam.h"

using namespace trainer;

namespace {

constexpr Shape kShape{4, 5, 10};
constexpr uint32_t kPixels = 20, kHidden = 37;
constexpr auto kKeep = static_cast<Real>(0.8);
constexpr uint64_t kSeed = 11;

std::vector<std::vector<uint8_t>> random_images(uint32_t count) {
  std::vector<std::vector<uint8_t>> images(count, std::vector<uint8_t>(kPixels));
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t p = 0; p < kPixels; ++p) {
      const auto words = draw(1, Purpose::shuffle, i, p);
      if (words[0] % 3 != 0) images[i][p] = static_cast<uint8_t>(words[1]);
    }
  }
  return images;
}

Piece batch_of(const std::vector<std::vector<uint8_t>>& images) {
  Piece batch;
  for (const auto& image : images) {
    batch.labels.push_back(static_cast<uint8_t>(batch.images.size() % 10));
    batch.images.push_back(image.data());
  }
  batch.first_position = 1000;
  batch.batch_size = static_cast<uint32_t>(images.size());
  const auto bounds = shard_bounds(batch.batch_size);
  batch.bounds.assign(bounds.begin(), bounds.end());
  return batch;
}

/// The network's mean loss, computed plainly and in double precision.
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

TEST_CASE("mlp: loss and gradient are those of a plain network, by finite differences") {
  for (uint32_t size : {3u, 8u, 21u}) {  // fewer examples than shards, as many, more
    Parallel parallel(2);
    Mlp model(kShape, kHidden, kKeep, kSeed, parallel);
    const auto images = random_images(size);
    const Piece batch = batch_of(images);
    const auto parameters = model.initial_parameters();
    std::vector<Real> gradient(parameters.size(), 99);
    const double loss = model.gradient(parameters, batch, gradient);

    std::vector<double> moved(parameters.begin(), parameters.end());
    CHECK(loss / size == doctest::Approx(plain_loss(moved, images, batch)).epsilon(1e-5));
    constexpr double kStep = 1e-6;
    for (size_t i = 0; i < moved.size(); ++i) {
      const double value = moved[i];
      moved[i] = value + kStep;
      const double above = plain_loss(moved, images, batch);
      moved[i] = value - kStep;
      const double below = plain_loss(moved, images, batch);
      moved[i] = value;
      const double expected = (above - below) / (2 * kStep);
      REQUIRE(std::fabs(gradient[i] - expected) < 2e-6 + 1e-4 * std::fabs(expected));
    }
  }
}

TEST_CASE("mlp: the bits of initial weights and gradient do not depend on the number of threads") {
  std::vector<Real> first_gradient;
  for (unsigned threads : {1, 2, 3, 8}) {
    Parallel parallel(threads);
    Mlp model(kShape, kHidden, kKeep, kSeed, parallel);
    const auto images = random_images(50);
    const auto parameters = model.initial_parameters();
    std::vector<Real> gradient(parameters.size());
    model.gradient(parameters, batch_of(images), gradient);
    if (first_gradient.empty()) first_gradient = gradient;
    CHECK(gradient == first_gradient);
  }
}

TEST_CASE("mlp: learns a small set by heart, and counts what it knows") {
  Parallel parallel(2);
  Mlp model(kShape, kHidden, 1, kSeed, parallel);
  const auto images = random_images(120);  // more than one block of the evaluation
  const Piece batch = batch_of(images);
  const Adam adam;
  State state = initial_state(model.initial_parameters(), adam);
  model.set_evaluation(batch.images, batch.labels);
  CHECK(model.count_correct(state.parameters) < 40);
  std::vector<Real> gradient(model.parameter_count());
  for (state.updates = 1; state.updates <= 400; ++state.updates) {
    model.gradient(state.parameters, batch, gradient);
    adam.apply(state, 0, gradient, 0.01, parallel);
  }
  CHECK(model.count_correct(state.parameters) == 120);
}

TEST_CASE("adam: follows the algorithm of the paper") {
  Parallel parallel(1);
  const Adam adam;
  State state = initial_state({1, -2}, adam);
  double parameter[2] = {1, -2}, first[2] = {}, second[2] = {};
  for (uint64_t t = 1; t <= 20; ++t) {
    const Real gradient[2] = {static_cast<Real>(0.3 * static_cast<double>(t)), Real{-1e-4f}};
    state.updates = t;
    adam.apply(state, 0, gradient, 0.001, parallel);
    for (int i = 0; i < 2; ++i) {
      first[i] = 0.9 * first[i] + 0.1 * gradient[i];
      second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
      const double first_hat = first[i] / (1 - std::pow(0.9, t)),
                   second_hat = second[i] / (1 - std::pow(0.999, t));
      parameter[i] -= 0.001 * first_hat / (std::sqrt(second_hat) + 1e-8);
      CHECK(state.parameters[i] == doctest::Approx(parameter[i]).epsilon(1e-5));
    }
  }
}
