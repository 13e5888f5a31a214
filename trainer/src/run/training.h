#pragma once

#include <functional>
#include <memory>

#include "base/parallel.h"
#include "comm/communicator.h"
#include "comm/gradient_sum.h"
#include "data/batches.h"
#include "data/dataset.h"
#include "model/adam.h"
#include "model/mlp.h"
#include "model/state.h"
#include "run/options.h"

namespace trainer {

/// What one rank has done of a run, from where this process took it up.
struct Work {
  uint64_t examples = 0;    ///< trained on
  uint64_t parameters = 0;  ///< moved by the optimizer
  uint64_t images = 0;      ///< evaluated
  uint64_t sent = 0;        ///< bytes, for gradients and parameters of the updates
};

/// The arithmetic of a run: the model, the optimizer and the order of examples that belong together, without
/// files and lines. The ranks share the work of each step: of an update the rows of the batch and the
/// parameters to move, of an evaluation the images. So all of them must make the same calls, each of which
/// throws PeerLost.
class Training {
 public:
  /// `stop_signal` says which signal asked this process to stop, or 0.
  Training(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
           std::function<int()> stop_signal);

  /// Draws the initial weights. A resumed run sets `state` instead.
  void begin();

  /// Rank 0's `state`, for all ranks.
  void share_state();

  /// Trains on the next batch and counts the update; the step is the caller's. Returns the mean loss of the
  /// batch before the update. If that is not finite, nothing is changed.
  double update();

  /// How many test images are classified rightly.
  uint32_t count_correct();

  /// The optimizer's moments are spread over the ranks: rank 0 gets all of them.
  void collect_state();

  /// The largest of the signals that asked a rank to stop, as of the last call in which all took part: the
  /// same for all.
  int stop_signal() const { return stop_; }

  const std::vector<Tensor>& tensors() const { return model_.tensors(); }
  /// Epochs done by the updates so far.
  double epoch() const { return batches_.epoch(batches_.first_position(state.updates)); }
  const Work& work() const { return work_; }

  State state;

 private:
  /// What each rank tells the others at each step.
  struct Report;

  std::vector<Report> exchange(Report mine);
  Piece piece(std::span<const uint32_t> bounds);

  const Dataset& data_;
  Parallel& parallel_;
  Communicator& communicator_;
  std::function<int()> asked_to_stop_;
  int stop_ = 0;
  Mlp model_;
  Adam adam_;
  Batches batches_;
  std::unique_ptr<GradientSum> sum_;
  std::vector<std::vector<uint32_t>> pieces_;
  std::vector<std::vector<float>> gradients_;  ///< a piece each
  std::vector<size_t> slices_;                 ///< of the parameters, a rank each
  uint32_t first_test_image_ = 0;              ///< of this rank's
  SparseRows test_images_;
  Work work_;
};

}  // namespace trainer
