#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>

namespace kml::local {

/// Kills every process below the calling one and waits for each, those too that were left by their parents:
/// the caller must be a subreaper or the first process of a pid namespace.
void kill_all_descendants();

/// The same, save for these children of the caller and what is below them.
void kill_descendants_except(const std::set<pid_t>& spared);

/// Kills the processes of the session that this child leads.
void kill_session(pid_t leader);

/// Processes and threads below the calling process.
int64_t count_descendants();
/// Those of the machine, at little cost.
int64_t count_all_threads();

}  // namespace kml::local
