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

/// The work that one rank has done since its Training was made.
struct Work {
  uint64_t examples = 0;    ///< how many training examples were processed
  uint64_t parameters = 0;  ///< how many parameters the optimizer has updated
  uint64_t images = 0;      ///< images evaluated
  uint64_t sent = 0;        ///< the number of bytes of gradients and parameters sent in updates
};

/// The arithmetic of a run on a device: model, optimizer and order of examples, without files and output. The
/// ranks share the work of each step: in an update, the rows of the batch and the parameters to update; in an
/// evaluation, the images. Therefore all ranks must make the same calls. Each call may throw PeerLost.
class Training {
 public:
  virtual ~Training() = default;

  /// Draws the initial weights into `state`. For a resumed run, set `state` instead.
  void begin();

  /// Copies rank 0's `state` to all ranks and to the device.
  void share_state();

  /// Does work in advance that the first evaluation, and the first update() of `updates` batches, would
  /// otherwise do.
  virtual void prepare(uint64_t updates) { static_cast<void>(updates); }

  /// Trains on the next batches and counts the updates in `state`; the caller counts the steps. Returns the
  /// mean loss of each batch before its update, for `most` batches, or fewer (at least one, and the same
  /// number for all ranks). If the last loss is not finite, that update was not performed.
  virtual std::vector<double> update(uint64_t most) = 0;

  /// The number of test images that are classified correctly.
  uint32_t count_correct();

  /// Collects the data for a checkpoint from devices and ranks into rank 0's `state`.
  void collect_state();

  /// The highest of the signals that had asked a rank to stop by the last call in which all ranks took part.
  /// It is the same on all ranks.
  int stop_signal() const { return stop_; }

  StateLayout layout() const { return {model_->tensors(), optimizer_->moments()}; }
  Flop flop() const { return model_->flop(); }
  /// The maximum number of operations per second that this rank's device can reach in the arithmetic in use,
  /// if known.
  virtual std::optional<double> peak_flops() const { return std::nullopt; }
  /// The GPU's PCI address, in the format of cudaDeviceGetPCIBusId; empty without a GPU.
  virtual std::string gpu_bus_id() const { return ""; }
  const Work& work() const { return work_; }

  /// Steps and updates are always current; the arrays are current only after begin(), share_state() and
  /// collect_state().
  State state;

 protected:
  Training(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
           std::function<int()> stop_signal);

  static constexpr size_t kMostPieces = 2;  ///< the maximum number of pieces that a rank has in a batch

  /// Tells the other ranks whether this rank was asked to stop, and learns the same about them.
  void ask_whether_to_stop();
  /// Counts the examples of this rank's pieces of a batch.
  void count_examples();
  /// The loss and gradient of a batch.
  struct Sum {
    double mean_loss;
    std::span<const Real> gradient;  ///< this rank's slice
  };
  /// Adds up all ranks' pieces. Each rank passes the loss, summed over the piece's rows, and the gradient of
  /// each of its pieces.
  Sum add_up(std::span<const double> losses, std::span<std::vector<Real>> gradients);
  /// Gives each rank all slices of the parameters, after each has updated its own.
  void gather_parameters();

  Communicator& communicator_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  Batches batches_;
  std::unique_ptr<GradientSum> sum_;
  std::vector<std::vector<uint32_t>> pieces_;
  std::vector<size_t> slices_;  ///< the bounds of the ranks' slices of the parameters
  uint32_t test_images_ = 0;    ///< number of this rank's test images
  Work work_;

 private:
  /// The data that each rank sends to the others at each step.
  struct Report;

  std::vector<Report> exchange(Report mine);
  void learn_whether_to_stop(std::span<const Report> reports);

  /// The number of this rank's test images that are classified correctly.
  virtual uint32_t count_own_correct() = 0;
  /// These two copy the arrays of `state` from the host to the device, and back.
  virtual void upload_state() {}
  virtual void download_state() {}

  std::function<int()> asked_to_stop_;
  int stop_ = 0;
};

/// Makes the training for options.device, which must not be `automatic`. `stop_signal` returns the signal
/// that asked this process to stop, or 0.
std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal);

}  // namespace trainer
