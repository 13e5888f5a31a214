#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>

namespace kml::local {

/// Kills every process below the calling one, including orphans, and waits for each. The caller must be a
/// subreaper or the first process of a pid namespace.
void kill_all_descendants();

/// The same, except for these children of the caller and the processes below them.
void kill_descendants_except(const std::set<pid_t>& spared);

/// Kills the processes of the session that this child leads.
void kill_session(pid_t leader);

/// The number of processes and threads below the calling process.
int64_t count_descendants();
/// The number of processes and threads of the whole machine; cheap.
int64_t count_all_threads();

}  // namespace kml::local
