#pragma once

#include "base/parallel.h"
#include "comm/communicator.h"
#include "data/dataset.h"
#include "run/options.h"

namespace trainer {

/// The demo's loop of steps: resumes, trains, evaluates, saves, and tells of it. Rank 0 keeps the
/// checkpoints, and writes the lines. Returns the exit status: 0, 128 + the signal that stopped this process,
/// or kStartAgain where it stopped because another rank was asked to. Throws Error.
int run_steps(const Options& options, const Dataset& data, Parallel& parallel, Communicator& communicator);

}  // namespace trainer
