#pragma once

#include "launch/launch.h"

namespace trainer {

/// Starts this program again as each of the launch's local ranks, passes SIGTERM and SIGINT on to them, and
/// waits for them to end. They are killed if this process dies. The first one to fail determines the exit
/// status (128 + the signal, if a signal killed it). The others are then told to stop. If they do not, they
/// are killed, unless the first one had itself been stopped, because they may be writing a checkpoint. Call
/// this only while the process has a single thread. Throws Error.
int run_local_ranks(const Launch& launch, char** arguments);

}  // namespace trainer
