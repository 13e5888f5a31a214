#include "run/parts.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "base/error.h"
#include "cuda/fast/fits.h"
#include "model/adam.h"
#include "model/cnn.h"
#include "model/mlp.h"
#include "model/sgd.h"

namespace trainer {

namespace {

/// The number of steps that update the weights: all except those that evaluate.
uint64_t updates_of(uint64_t steps, uint64_t evaluate_every) {
  return evaluate_every == 0 ? steps : steps - (steps + evaluate_every - 1) / evaluate_every;
}

}  // namespace

std::unique_ptr<Model> make_model(const Options& options, const Dataset& data, Parallel& parallel) {
  const Shape shape = data.shape();
  if (options.model == ModelKind::mlp) {
    return std::make_unique<Mlp>(shape, options.hidden_units(), options.keep, options.seed, parallel);
  }
  if (std::min(shape.rows, shape.columns) < Cnn::kLeastSide) {
    throw Error("--model=cnn",
                "images of " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                    " pixels are too small; this model needs at least " + std::to_string(Cnn::kLeastSide) +
                    " x " + std::to_string(Cnn::kLeastSide),
                "pass --model=mlp");
  }
  return std::make_unique<Cnn>(shape, options.hidden_units(), options.keep, options.seed, parallel);
}

namespace {

/// Whether the fast kernels are compiled for this cnn.
bool has_fast_cnn(const Options& options, const Shape& shape) {
  return options.device == Device::cuda && options.kernels != Kernels::plain &&
         options.model == ModelKind::cnn &&
         cuda::fast_cnn_fits(shape.rows, shape.columns, options.hidden_units(), options.precision);
}

}  // namespace

bool uses_fast_kernels(const Options& options, const Shape& shape) {
  if (options.device != Device::cuda || options.kernels == Kernels::plain) return false;
  if (options.model == ModelKind::cnn)
    return has_fast_cnn(options, shape) && options.block_shared >= cuda::kFastCnnShared;
  if (options.shift > 0) return false;  // the fast kernels read the original images of the data set
  return cuda::fast_mlp_fits(uint64_t{shape.rows} * shape.columns, options.hidden_units(), shape.classes);
}

std::string kernels_note(const Options& options, const Shape& shape) {
  if (!has_fast_cnn(options, shape) || uses_fast_kernels(options, shape)) return "";
  return "using the plain kernels: a block of the fast kernels needs " +
         std::to_string(cuda::kFastCnnShared >> 10) + " KiB of shared memory, and this GPU has only " +
         std::to_string(options.block_shared >> 10);
}

std::unique_ptr<Optimizer> make_optimizer(const Options& options) {
  if (options.optimizer == OptimizerKind::sgd) {
    return std::make_unique<Sgd>(options.momentum, options.nesterov);
  }
  return std::make_unique<Adam>();
}

Schedule make_schedule(const Options& options) {
  Schedule schedule;
  schedule.kind = options.schedule;
  schedule.rate = options.rate();
  schedule.warm_up = options.warm_up;
  if (schedule.kind != Schedule::Kind::constant) {
    schedule.updates = options.schedule_updates ? options.schedule_updates
                                                : updates_of(options.max_steps, options.evaluate_every);
  }
  return schedule;
}

std::string model_name(const Options& options) {
  return options.model == ModelKind::mlp ? "mlp" : "cnn";
}

std::string optimizer_name(const Options& options) {
  if (options.optimizer == OptimizerKind::adam) return "adam";
  return "sgd, momentum " + exact(options.momentum) + (options.nesterov ? ", Nesterov's" : "");
}

std::string schedule_name(const Options& options) {
  const Schedule schedule = make_schedule(options);
  std::string name = schedule.kind == Schedule::Kind::constant ? "constant"
                     : schedule.kind == Schedule::Kind::cosine ? "cosine"
                                                               : "step";
  if (schedule.updates > 0) name += " over " + std::to_string(schedule.updates) + " updates";
  if (schedule.warm_up > 0) name += ", warm-up " + std::to_string(schedule.warm_up);
  return name;
}

std::string exact(Real value) {
  char text[32];
  snprintf(text, sizeof text, "%.*g", std::numeric_limits<Real>::max_digits10, double{value});
  return text;
}

}  // namespace trainer
