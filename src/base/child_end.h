#pragma once

#include <sys/types.h>

namespace kml {

/// Checks, without waiting, whether the child process has ended. Once it has, sets `child` to 0 and
/// `exit_code` to its exit code. If `child` is 0, the process has ended.
bool has_ended(pid_t& child, int& exit_code);

/// Kills the child process and waits for its end. Does nothing if `child` is 0.
void kill_and_wait(pid_t child);

}  // namespace kml
