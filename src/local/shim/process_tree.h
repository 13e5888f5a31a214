#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>

namespace kml::local {

/// Kills all descendants of the calling process, including orphans, and waits for each of them. The caller
/// must be a subreaper or the first process in a pid namespace.
void kill_all_descendants();

/// Like kill_all_descendants(), but spares these children of the caller and their descendants.
void kill_descendants_except(const std::set<pid_t>& spared);

/// Kills the processes in the session that this child leads.
void kill_session(pid_t leader);

/// The number of processes and threads that descend from the calling process.
int64_t count_descendants();
/// The number of processes and threads on the whole machine. This is fast.
int64_t count_all_threads();

}  // namespace kml::local
