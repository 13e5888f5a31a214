#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "model/model.h"
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

/// The arithmetic of a run on some device: the model, the optimizer and the order of examples that belong
/// together, without files and lines. The ranks share the work of each step: of an update the rows of the
/// batch and the parameters to move, of an evaluation the images. So all of them must make the same calls,
/// each of which throws PeerLost.
class Training {
 public:
  virtual ~Training() = default;

  /// Draws the initial weights into `state`. A resumed run sets `state` instead.
  virtual void begin() = 0;

  /// Rank 0's `state`, for all ranks; then the device has it.
  virtual void share_state() = 0;

  /// Trains on the next batches and counts the updates in `state`; the steps are the caller's. Returns the
  /// mean losses of the batches, each before its update: `most` of them, or fewer (at least one, and the same
  /// number for all ranks). If the last is not finite, its update was not done.
  virtual std::vector<double> update(uint64_t most) = 0;

  /// How many test images are classified rightly.
  virtual uint32_t count_correct() = 0;

  /// What a checkpoint needs is on devices and spread over ranks: makes rank 0's `state` whole.
  virtual void collect_state() = 0;

  /// The largest of the signals that asked a rank to stop, as of the last call in which all took part: the
  /// same for all.
  virtual int stop_signal() const = 0;

  virtual StateLayout layout() const = 0;
  virtual Flop flop() const = 0;
  /// Operations a second that this rank's device could do at most in the arithmetic that is used, where that
  /// is known.
  virtual std::optional<double> peak_flops() const { return std::nullopt; }
  /// The GPU's PCI address, as cudaDeviceGetPCIBusId gives it; "": none.
  virtual std::string gpu_bus_id() const { return ""; }
  virtual const Work& work() const = 0;

  /// Steps and updates are always those of now; the arrays only after begin(), share_state(),
  /// collect_state().
  State state;
};

/// The training for options.device, which is not `automatic`. `stop_signal` says which signal asked this
/// process to stop, or 0.
std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal);

}  // namespace trainer
