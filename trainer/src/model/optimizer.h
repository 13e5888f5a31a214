#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/real.h"
#include "model/state.h"

namespace trainer {

/// Moves parameters against their gradient. It stores what it needs of earlier gradients in the state's
/// moments.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The moments that it keeps, by name: arrays as long as the parameters, zero at first.
  virtual std::vector<std::string> moments() const = 0;

  /// Updates the state's parameters and moments from index `first` on, as many as `gradient` has. This is
  /// update number `state.updates`; the first is 1. `rate` is its learning rate.
  virtual void apply(State& state, size_t first, std::span<const Real> gradient, double rate,
                     Parallel& parallel) const = 0;
};

/// A state at the start of a run.
State initial_state(std::vector<Real> parameters, const Optimizer& optimizer);

}  // namespace trainer
