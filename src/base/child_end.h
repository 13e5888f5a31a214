#pragma once

#include <sys/types.h>

namespace kml {

/// Looks, without waiting, whether the child process has ended. Once it has, sets `child` to 0 and
/// `exit_code` to its exit code. A `child` of 0 has ended.
bool has_ended(pid_t& child, int& exit_code);

/// Kills the child process and waits for its end. Does nothing if `child` is 0.
void kill_and_wait(pid_t child);

}  // namespace kml
