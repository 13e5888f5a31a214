#pragma once

#include <memory>
#include <string>

#include "base/parallel.h"
#include "data/dataset.h"
#include "model/model.h"
#include "model/optimizer.h"
#include "run/options.h"

namespace trainer {

/// The CPU's model and optimizer that the options name. `parallel` must outlive the model.
std::unique_ptr<Model> make_model(const Options& options, const Dataset& data, Parallel& parallel);
std::unique_ptr<Optimizer> make_optimizer(const Options& options);
Schedule make_schedule(const Options& options);

/// All that the options say of each, as short words: what a resumed run must agree on.
std::string model_name(const Options& options);
std::string optimizer_name(const Options& options);
std::string schedule_name(const Options& options);
/// A number with as many digits as tell it apart.
std::string exact(Real value);

}  // namespace trainer
