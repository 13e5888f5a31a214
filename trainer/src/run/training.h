#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "comm/communicator.h"
#include "comm/gradient_sum.h"
#include "data/batches.h"
#include "data/dataset.h"
#include "model/model.h"
#include "model/optimizer.h"
#include "model/state.h"
#include "run/options.h"

namespace trainer {

/// One rank's work on a run since this process started.
struct Work {
  uint64_t examples = 0;    ///< trained on
  uint64_t parameters = 0;  ///< moved by the optimizer
  uint64_t images = 0;      ///< evaluated
  uint64_t sent = 0;        ///< bytes, for gradients and parameters of the updates
};

/// The arithmetic of a run on some device: the model, the optimizer and the order of examples that belong
/// together, without files and lines. The ranks share the work of each step: of an update the rows of the
/// batch and the parameters to move, of an evaluation the images. So all of them must make the same calls,
/// each of which throws PeerLost.
class Training {
 public:
  virtual ~Training() = default;

  /// Draws the initial weights into `state`. A resumed run sets `state` instead.
  void begin();

  /// Copies rank 0's `state` to all ranks and to the device.
  void share_state();

  /// Trains on the next batches and counts the updates in `state`; the steps are the caller's. Returns the
  /// mean losses of the batches, each before its update: `most` of them, or fewer (at least one, and the same
  /// number for all ranks). If the last is not finite, its update was not done.
  virtual std::vector<double> update(uint64_t most) = 0;

  /// The number of test images that are classified correctly.
  uint32_t count_correct();

  /// Collects the data of a checkpoint from devices and ranks into rank 0's `state`.
  void collect_state();

  /// The largest of the signals that asked a rank to stop, as of the last call in which all took part: the
  /// same for all.
  int stop_signal() const { return stop_; }

  StateLayout layout() const { return {model_->tensors(), optimizer_->moments()}; }
  Flop flop() const { return model_->flop(); }
  /// Operations a second that this rank's device could do at most in the arithmetic that is used, where that
  /// is known.
  virtual std::optional<double> peak_flops() const { return std::nullopt; }
  /// The GPU's PCI address, as cudaDeviceGetPCIBusId gives it; "": none.
  virtual std::string gpu_bus_id() const { return ""; }
  const Work& work() const { return work_; }

  /// Steps and updates are always those of now; the arrays only after begin(), share_state(),
  /// collect_state().
  State state;

 protected:
  Training(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
           std::function<int()> stop_signal);

  static constexpr size_t kMostPieces = 2;  ///< that a rank has of a batch

  /// Tells the others whether this rank was asked to stop, and hears of them.
  void ask_whether_to_stop();
  /// The mean loss of a batch. This rank passes the loss of each of its pieces, summed over the piece's rows.
  double mean_loss(std::span<const double> of_pieces);
  /// Counts the examples of this rank's pieces of a batch.
  void count_examples();

  Communicator& communicator_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  Batches batches_;
  std::unique_ptr<GradientSum> sum_;
  std::vector<std::vector<uint32_t>> pieces_;
  std::vector<size_t> slices_;  ///< of the parameters, a rank each
  uint32_t test_images_ = 0;    ///< of this rank
  Work work_;

 private:
  /// What each rank tells the others at each step.
  struct Report;

  std::vector<Report> exchange(Report mine);

  /// Of this rank's test images.
  virtual uint32_t count_own_correct() = 0;
  /// The arrays of `state` are on the host: moves them to the device, and back.
  virtual void upload_state() {}
  virtual void download_state() {}

  std::function<int()> asked_to_stop_;
  int stop_ = 0;
};

/// The training for options.device, which is not `automatic`. `stop_signal` says which signal asked this
/// process to stop, or 0.
std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal);

}  // namespace trainer
