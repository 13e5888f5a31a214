#pragma once

#include "model/optimizer.h"

namespace trainer {

/// Adam: Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1, with its default
/// constants.
class Adam : public Optimizer {
 public:
  std::vector<std::string> moments() const override { return {"adam.first_moment", "adam.second_moment"}; }
  void apply(State& state, size_t first, std::span<const Real> gradient, double rate,
             Parallel& parallel) const override;
};

}  // namespace trainer
