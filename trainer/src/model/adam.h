#pragma once

#include <span>

#include "base/parallel.h"
#include "model/state.h"

namespace trainer {

/// Adam: Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1, with its default
/// constants.
class Adam {
 public:
  explicit Adam(float learning_rate) : learning_rate_(learning_rate) {}

  /// Changes the state's parameters and moments from number `first` on, for which `gradient` is, by update
  /// number `state.updates` (the first is 1).
  void apply(State& state, size_t first, std::span<const float> gradient, Parallel& parallel) const;

 private:
  float learning_rate_;
};

}  // namespace trainer
