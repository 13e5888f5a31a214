#pragma once

#include <vector>

namespace kml::step {

/// Runs the command, whose words end with a null, to its end: passes on the signals that come, and reaps all
/// that ends. Returns its status as waitpid(2) has it.
int run_command(char* const* words);

/// Ends this process as that one ended: with its exit code, or by its signal. The first process of a
/// container is not ended by a signal that it sends itself: then the exit code is 128 and the signal, as of a
/// shell.
[[noreturn]] void end_as(int status);

}  // namespace kml::step
