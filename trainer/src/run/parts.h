#pragma once

#include <memory>
#include <string>

#include "base/parallel.h"
#include "data/dataset.h"
#include "model/model.h"
#include "model/optimizer.h"
#include "run/options.h"

namespace trainer {

/// The model and optimizer that the options name, for the CPU. `parallel` must outlive the model.
std::unique_ptr<Model> make_model(const Options& options, const Dataset& data, Parallel& parallel);
/// Whether a GPU trains this model with the fast kernels (cuda/fast).
bool uses_fast_kernels(const Options& options, const Shape& shape);
/// A note if only the size of the GPU prevents the use of the fast kernels; otherwise empty.
std::string kernels_note(const Options& options, const Shape& shape);
std::unique_ptr<Optimizer> make_optimizer(const Options& options);
Schedule make_schedule(const Options& options);

/// The model's or optimizer's name with all its options, as short words. A resumed run must have the same
/// name.
std::string model_name(const Options& options);
std::string optimizer_name(const Options& options);
std::string schedule_name(const Options& options);
/// The number as text, with enough digits to restore it exactly.
std::string exact(Real value);

}  // namespace trainer
