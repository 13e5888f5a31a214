#pragma once

#include <functional>

#include "base/parallel.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// In place of a signal: more ranks have come. Signals that stop a run are more urgent, and greater.
constexpr int kMoreRanks = 1;
/// In place of an exit status: all ranks should meet again, and go on from the checkpoint.
constexpr int kMeetAgain = -1;

/// The demo's loop of steps: resumes, trains, evaluates, saves, and tells of it. Rank 0 keeps the
/// checkpoints, and writes the lines. `asked_to_stop` says which signal asked this rank to stop, kMoreRanks,
/// or 0. Returns the exit status: 0, 128 + the signal that stopped this process, kStartAgain where it stopped
/// because another rank was asked to; or kMeetAgain. Throws Error.
int run_steps(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
              std::function<int()> asked_to_stop);

}  // namespace trainer
