#pragma once

#include <functional>

#include "base/parallel.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// A value in addition to the signals: more ranks have arrived. Real signals have greater numbers, so they
/// take precedence.
constexpr int kMoreRanks = 1;
/// A value in addition to the exit statuses: all ranks must meet again and continue from the checkpoint.
constexpr int kMeetAgain = -1;

/// The demo's loop of steps: resumes, trains, evaluates, saves and reports. Rank 0 writes the checkpoints and
/// the lines. `asked_to_stop` returns the signal that asked this rank to stop, kMoreRanks, or 0. Returns the
/// exit status: 0; 128 + the signal that stopped this process; kStartAgain if this process stopped because
/// another rank was asked to stop; or kMeetAgain. Throws Error.
int run_steps(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator,
              std::function<int()> asked_to_stop);

}  // namespace trainer
