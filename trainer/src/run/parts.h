#pragma once

#include <memory>

#include "base/parallel.h"
#include "data/dataset.h"
#include "model/model.h"
#include "model/optimizer.h"
#include "run/options.h"

namespace trainer {

/// The CPU's model and optimizer that the options name. `parallel` must outlive the model.
std::unique_ptr<Model> make_model(const Options& options, const Dataset& data, Parallel& parallel);
std::unique_ptr<Optimizer> make_optimizer(const Options& options);

}  // namespace trainer
