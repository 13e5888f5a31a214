#pragma once

#include "model/optimizer.h"

namespace trainer {

/// Stochastic gradient descent with momentum, in PyTorch's form (torch.optim.SGD): v = momentum * v +
/// gradient, parameter -= rate * v. With Nesterov momentum, parameter -= rate * (gradient + momentum * v).
class Sgd : public Optimizer {
 public:
  Sgd(Real momentum, bool nesterov) : momentum_(momentum), nesterov_(nesterov) {}

  std::vector<std::string> moments() const override { return {"sgd.momentum"}; }
  void apply(State& state, size_t first, std::span<const Real> gradient, double rate,
             Parallel& parallel) const override;

 private:
  Real momentum_;
  bool nesterov_;
};

}  // namespace trainer
