#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "comm/shards.h"
#include "model/adam.h"
#include "model/model.h"

/// Code that the tests of all networks use.

using Images = std::vector<std::vector<uint8_t>>;

/// Random images in which a third of the pixels are black.
inline Images random_images(trainer::Shape shape, uint32_t count) {
  Images images(count, std::vector<uint8_t>(shape.pixels()));
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t p = 0; p < shape.pixels(); ++p) {
      const auto words = trainer::draw(1, trainer::Purpose::shuffle, i, p);
      if (words[0] % 3 != 0) images[i][p] = static_cast<uint8_t>(words[1]);
    }
  }
  return images;
}

/// A batch of all images, whose labels go through the classes in turn. The images must outlive it.
inline trainer::Piece batch_of(trainer::Shape shape, const Images& images) {
  trainer::Piece batch;
  for (const auto& image : images) {
    batch.labels.push_back(static_cast<uint8_t>(batch.images.size() % shape.classes));
    batch.images.push_back(image.data());
  }
  batch.first_position = 1000;
  batch.batch_size = static_cast<uint32_t>(images.size());
  const auto bounds = trainer::shard_bounds(batch.batch_size);
  batch.bounds.assign(bounds.begin(), bounds.end());
  return batch;
}

/// Compares a gradient with finite differences of `loss`, a function of `parameters`, for every `every`-th
/// parameter.
inline void check_gradient(std::span<const trainer::Real> gradient, std::vector<double>& parameters,
                           size_t every, const std::function<double()>& loss) {
  constexpr double kStep = 1e-6;
  for (size_t i = 0; i < parameters.size(); i += every) {
    const double value = parameters[i];
    parameters[i] = value + kStep;
    const double above = loss();
    parameters[i] = value - kStep;
    const double below = loss();
    parameters[i] = value;
    const double expected = (above - below) / (2 * kStep);
    REQUIRE(std::fabs(static_cast<double>(gradient[i]) - expected) < 2e-6 + 1e-4 * std::fabs(expected));
  }
}

/// Trains the model on a few images with this number of Adam's updates, and checks that it then classifies
/// them correctly. Before that, it must classify fewer than `most_guessed` of the 120 correctly.
inline void check_learns_by_heart(trainer::Model& model, trainer::Shape shape, uint32_t most_guessed,
                                  uint64_t updates, trainer::Real rate, trainer::Parallel& parallel) {
  const auto images = random_images(shape, 120);  // more than one block of an evaluation
  const trainer::Piece batch = batch_of(shape, images);
  const trainer::Adam adam;
  trainer::State state = initial_state(model.initial_parameters(), adam);
  model.set_evaluation(batch.images, batch.labels);
  CHECK(model.count_correct(state.parameters) < most_guessed);
  std::vector<trainer::Real> gradient(model.parameter_count());
  for (state.updates = 1; state.updates <= updates; ++state.updates) {
    model.gradient(state.parameters, batch, gradient);
    adam.apply(state, 0, gradient, rate, parallel);
  }
  CHECK(model.count_correct(state.parameters) == 120);
}
