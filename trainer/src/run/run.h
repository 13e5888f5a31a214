#pragma once

#include "run/options.h"

namespace trainer {

/// Trains as `options` say, as one of the ranks that the environment describes. Accuracy lines go to stdout,
/// everything else to stderr. If this pod has several ranks, it starts them with `arguments`, the whole
/// command line. Returns the exit status, see run_steps. Throws Error.
int run(const Options& options, char** arguments);

}  // namespace trainer
