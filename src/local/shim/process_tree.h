#pragma once

namespace kml::local {

/// Kills every process below the calling one and waits for each, those too that were left by their parents:
/// the caller must be a subreaper or the first process of a pid namespace.
void kill_all_descendants();

}  // namespace kml::local
