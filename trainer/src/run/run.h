#pragma once

#include "run/options.h"

namespace trainer {

/// Trains as `options` say. Accuracy lines go to stdout, all else to stderr. Returns the exit status: 0, or
/// 128 + the signal that stopped the run. Throws Error.
int run(const Options& options);

}  // namespace trainer
