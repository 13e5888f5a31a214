#pragma once

#include <vector>

namespace kml::step {

/// Runs the command until it ends. `words` ends with a null. Passes on signals, and reaps all processes that
/// end. Returns the command's status as waitpid(2) does.
int run_command(char* const* words);

/// Ends this process in the same way as the process with that status: with its exit code, or by its signal.
/// The first process of a container cannot end itself by a signal; it then exits with 128 plus the signal's
/// number, as shells do.
[[noreturn]] void end_as(int status);

}  // namespace kml::step
