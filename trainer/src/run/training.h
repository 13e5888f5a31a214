#pragma once

#include "base/parallel.h"
#include "data/batches.h"
#include "data/dataset.h"
#include "model/adam.h"
#include "model/mlp.h"
#include "model/state.h"
#include "run/options.h"

namespace trainer {

/// The arithmetic of a run: the model, the optimizer and the order of examples that belong together, without
/// files and lines.
class Training {
 public:
  Training(const Options& options, const Dataset& data, Parallel& parallel);

  /// Draws the initial weights. A resumed run sets `state` instead.
  void begin();

  /// Trains on the next batch and counts the update; the step is the caller's. Returns the mean loss of the
  /// batch before the update. If that is not finite, nothing is changed.
  double update();

  /// How many test images are classified rightly.
  uint32_t count_correct();

  const std::vector<Tensor>& tensors() const { return model_.tensors(); }
  /// Epochs done by the updates so far.
  double epoch() const { return batches_.epoch(batches_.first_position(state.updates)); }

  State state;

 private:
  Batch next_batch();

  const Dataset& data_;
  Parallel& parallel_;
  Mlp model_;
  Adam adam_;
  Batches batches_;
  SparseRows test_images_;
  std::vector<float> gradient_;
};

}  // namespace trainer
