#pragma once

namespace trainer {

/// Makes SIGTERM and SIGINT only set a flag, so that the run can save its state between two steps. A second
/// signal of the same kind ends the process at once.
void catch_stop_signals();

/// The signal that asked the run to stop; 0 if there was none.
int stop_signal();

}  // namespace trainer
