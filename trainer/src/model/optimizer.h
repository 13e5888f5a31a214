#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/real.h"
#include "model/state.h"

namespace trainer {

/// Moves parameters against their gradient. Stores the data that it needs from earlier gradients in the
/// state's moments.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The names of the moments that the optimizer uses. Each is an array as long as the parameters, initially
  /// zero.
  virtual std::vector<std::string> moments() const = 0;

  /// Updates the state's parameters and moments to which `gradient` belongs, which start at index `first`.
  /// This is update number `state.updates`, counted from 1. `rate` is its learning rate.
  virtual void apply(State& state, size_t first, std::span<const Real> gradient, double rate,
                     Parallel& parallel) const = 0;
};

/// A state at the start of a run.
State initial_state(std::vector<Real> parameters, const Optimizer& optimizer);

}  // namespace trainer
