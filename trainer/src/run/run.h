#pragma once

#include "run/options.h"

namespace trainer {

/// Trains according to `options`, as the rank that the environment describes. Accuracy lines go to stdout,
/// messages to stderr. If this pod has several ranks, starts them with `arguments`, the whole command
/// line. Returns the exit status, see run_steps. Throws Error.
int run(const Options& options, char** arguments);

}  // namespace trainer
